import type { IncomingMessage } from 'node:http'
import { clientAddress } from '#handlers/domain/text/client-address.ts'

/** Who is at the other end, as far as it can be known. */
export interface Client {
  address: string
  /** Whether the browser's connection is TLS, be it ours or a trusted proxy's. */
  secure: boolean
}

const joined = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(',') : value

/**
 * The client of a request. Forwarding headers count only when the socket itself
 * belongs to one of `trustedProxies` (CIDR blocks).
 */
export const clientOf = (incoming: IncomingMessage, trustedProxies: readonly string[]): Client => {
  const socketAddress = incoming.socket.remoteAddress ?? '0.0.0.0'
  const encrypted = 'encrypted' in incoming.socket && incoming.socket.encrypted === true
  const forwardedFor = joined(incoming.headers['x-forwarded-for'])
  const address = clientAddress(socketAddress, forwardedFor, trustedProxies)
  // A trusted socket is one for which a forwarded address would be believed.
  const trusted = clientAddress(socketAddress, '192.0.2.1', trustedProxies) === '192.0.2.1'
  const forwardedProto = joined(incoming.headers['x-forwarded-proto'])
  return {
    address,
    secure: encrypted || (trusted && forwardedProto?.split(',').at(-1)?.trim() === 'https'),
  }
}
