import { readFile, stat } from 'node:fs/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { explainCertificateError } from './check-certificate.ts'
import type { TlsProtocols } from './tls-protocols.ts'

/** Contexts kept; each takes about 30 KB. */
const MAX_CONTEXTS = 2000
/** How long the files of a context are taken for unchanged. */
const CHECK_MS = 1000

interface Pair {
  certificate: string
  key: string
}

interface Known extends Pair {
  /** What a handshake gets; the fallback when the files were never good. */
  context: SecureContext
  /** State of the files that were last looked into, good or bad. */
  fingerprint: string
  checkedMs: number
}

export interface CertificateContexts {
  /** Context for a server name; the default one when no virtual host has a certificate for it. */
  contextFor(name: string): SecureContext | Promise<SecureContext>
  /** Lets every file be looked at again, after a reload. */
  recheck(): void
}

const fingerprintOf = async ({ certificate, key }: Pair): Promise<string> => {
  const states = await Promise.all([stat(certificate), stat(key)])
  return states.map(({ ino, size, mtimeMs, ctimeMs }) => [ino, size, mtimeMs, ctimeMs]).join()
}

/** Throws when a file is missing or key and certificate do not match. */
const load = async (pair: Pair, protocols: TlsProtocols): Promise<SecureContext> => {
  const [cert, key] = await Promise.all([readFile(pair.certificate), readFile(pair.key)])
  return createSecureContext({ cert, key, ...protocols })
}

const pairOf = (host: VirtualHostConfig): Pair | null => {
  const { ssl_certificate: certificate, ssl_certificate_key: key } = host
  return certificate === null || key === null ? null : { certificate, key }
}

/**
 * Certificates by server name, made when first asked for. Files that changed
 * are taken by the handshakes that follow, without a reload; a pair that cannot
 * be used, half written for instance, leaves the one before in place and is
 * logged once.
 */
export const createCertificateContexts = (deps: {
  hosts: () => VirtualHostTable
  fallback: SecureContext
  protocols: TlsProtocols
  log: Log
  nowMs?: () => number
}): CertificateContexts => {
  const nowMs = deps.nowMs ?? Date.now
  const contexts = new LRUCache<string, Known>({ max: MAX_CONTEXTS })
  const checks = new Map<string, Promise<SecureContext>>()

  const check = async (domain: string, pair: Pair, known: Known | null): Promise<SecureContext> => {
    let fingerprint = 'missing'
    let context = known?.context ?? deps.fallback
    try {
      fingerprint = await fingerprintOf(pair)
      if (fingerprint !== known?.fingerprint) context = await load(pair, deps.protocols)
    } catch (error) {
      if (fingerprint !== known?.fingerprint) {
        deps.log.error('a certificate cannot be used', {
          domain,
          error: explainCertificateError(error),
          instead: known === null ? 'a self-signed certificate' : 'the certificate before it',
        })
      }
    }
    contexts.set(domain, { ...pair, context, fingerprint, checkedMs: nowMs() })
    return context
  }

  return {
    contextFor: (name) => {
      const host = deps.hosts().find(name)
      const pair = host === null ? null : pairOf(host)
      if (host === null || pair === null) return deps.fallback
      const { domain } = host
      const last = contexts.get(domain)
      const same = last?.certificate === pair.certificate && last.key === pair.key
      const known = last !== undefined && same ? last : null
      if (known !== null && nowMs() - known.checkedMs < CHECK_MS) return known.context
      const id = `${domain}\n${pair.certificate}\n${pair.key}`
      const running = checks.get(id)
      if (running !== undefined) return running
      const checking = check(domain, pair, known).finally(() => checks.delete(id))
      checks.set(id, checking)
      return checking
    },
    recheck: () => {
      for (const known of contexts.values()) known.checkedMs = -Infinity
    },
  }
}
