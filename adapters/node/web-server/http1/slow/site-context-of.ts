import type { Socket } from 'node:net'
import type { SiteContext } from '#handlers/sites/site-context.ts'

/** An IPv4 client of a dual-stack listener appears as `::ffff:192.0.2.1`. */
const plainAddress = (address: string | undefined): string => {
  if (address === undefined) return ''
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** False or absent when the client named no server. */
const serverNameOf = (socket: Socket): string | null => {
  const name: unknown = Reflect.get(socket, 'servername')
  return typeof name === 'string' ? name.toLowerCase() : null
}

/** What is fixed for a connection; the request's own parts are added per request. */
export type ConnectionFacts = Omit<SiteContext, 'rawTarget' | 'protocol' | 'serverName'> & {
  serverName: string | null
  /** `clientAddress` as it stands in the access log. */
  addressBytes: Uint8Array
}

/** Facts of a connection, read from the socket alone. `secure`: whether it is TLS. */
export const connectionFacts = (socket: Socket, secure: boolean): ConnectionFacts => {
  const clientAddress = plainAddress(socket.remoteAddress)
  return {
    clientAddress,
    clientPort: socket.remotePort ?? 0,
    serverAddress: plainAddress(socket.localAddress),
    serverPort: socket.localPort ?? 0,
    secure,
    serverName: secure ? serverNameOf(socket) : null,
    addressBytes: Buffer.from(clientAddress, 'latin1'),
  }
}
