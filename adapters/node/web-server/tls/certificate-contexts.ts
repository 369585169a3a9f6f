import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { VirtualHostConfig } from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { VirtualHostTable } from '#handlers/sites/virtual-host-table.ts'

/** Contexts kept; each takes about 30 KB. */
const MAX_CONTEXTS = 2000

/** Builds the context of a virtual host; throws when a file is missing or key and certificate do not match. */
export const loadContext = (
  host: VirtualHostConfig,
  minVersion: 'TLSv1.2' | 'TLSv1.3',
): SecureContext | null => {
  const { ssl_certificate: certificate, ssl_certificate_key: key } = host
  if (certificate === null || key === null) return null
  return createSecureContext({
    cert: readFileSync(certificate),
    key: readFileSync(key),
    minVersion,
  })
}

export interface CertificateContexts {
  /** Context for a server name; the default one when no virtual host has a certificate for it. */
  contextFor(name: string): SecureContext
  /** Drops all, after a reload: files may have changed under their names. */
  clear(): void
}

/** Certificates by server name, made when first asked for. */
export const createCertificateContexts = (deps: {
  hosts: () => VirtualHostTable
  fallback: SecureContext
  minVersion: 'TLSv1.2' | 'TLSv1.3'
  log: Log
}): CertificateContexts => {
  const contexts = new LRUCache<string, SecureContext>({ max: MAX_CONTEXTS })
  const load = (host: VirtualHostConfig): SecureContext => {
    try {
      return loadContext(host, deps.minVersion) ?? deps.fallback
    } catch (error) {
      deps.log.error('a certificate cannot be used', { domain: host.domain, error: String(error) })
      return deps.fallback
    }
  }
  return {
    contextFor: (name) => {
      const host = deps.hosts().find(name)
      if (host === null) return deps.fallback
      const known = contexts.get(host.domain)
      if (known !== undefined) return known
      const context = load(host)
      contexts.set(host.domain, context)
      return context
    },
    clear: () => contexts.clear(),
  }
}
