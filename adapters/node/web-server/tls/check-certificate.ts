import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'

/** What is wrong with a certificate file or its key, and what would help. */
export const explainCertificateError = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  const refused = error instanceof Error && 'code' in error && error.code === 'EACCES'
  if (!refused) return text
  return `${text}. The web server's user may not read it: give the file its group (chgrp berth-web, chmod 640), and let it enter the directories above`
}

/** Null: the certificate of a virtual host and its key can be used, or it has none. */
export const certificateProblem = (host: VirtualHostConfig): string | null => {
  if (host.ssl_certificate === null) return null
  try {
    if (host.ssl_certificate_key !== null) {
      createSecureContext({
        cert: readFileSync(host.ssl_certificate),
        key: readFileSync(host.ssl_certificate_key),
      })
    }
    new X509Certificate(readFileSync(host.ssl_certificate))
    return null
  } catch (error) {
    return `The certificate of ${host.domain} (${host.ssl_certificate}) cannot be used: ${explainCertificateError(error)}. Replace certificate and key, or remove both keys from the virtual host.`
  }
}
