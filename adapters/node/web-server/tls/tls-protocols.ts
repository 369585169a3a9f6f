import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

/** Options of every TLS context and listener. */
export interface TlsProtocols {
  minVersion: 'TLSv1.2' | 'TLSv1.3'
  maxVersion: 'TLSv1.2' | 'TLSv1.3'
  ciphers: string
}

/**
 * Forward secrecy and authenticated encryption only; these are also all that
 * HTTP/2 allows with TLS 1.2 (RFC 9113, 9.2.2).
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** What `[ssl] protocols` means. */
export const tlsProtocols = (protocols: ServerConfig['ssl']['protocols']): TlsProtocols => ({
  minVersion: protocols.includes('TLSv1.2') ? 'TLSv1.2' : 'TLSv1.3',
  maxVersion: protocols.includes('TLSv1.3') ? 'TLSv1.3' : 'TLSv1.2',
  ciphers: CIPHERS,
})
