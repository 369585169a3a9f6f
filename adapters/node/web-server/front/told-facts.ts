import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { parseVisitor, VISITOR_FIELD } from '../../web-channel/visitor-field.ts'
import { connectionFacts, type ConnectionFacts } from '../http1/slow/site-context-of.ts'

/** Connections of fronts; each carries requests of many visitors. */
const fronts = new WeakSet<Socket>()

/** From now on what is asked on the connection is believed of its visitors. */
export const believeFront = (socket: Socket): void => void fronts.add(socket)

/** Facts of one request, and whether a front passed it on. */
export type RequestFacts = ConnectionFacts & { front?: true }

/**
 * What is known of who asks: of the connection alone, or, where that is a front's, what the front
 * says of its visitor. Null: a front said nothing that can be read.
 */
export const factsOf = ({ socket, headers }: IncomingMessage): RequestFacts | null => {
  const own = connectionFacts(socket, socket instanceof TLSSocket)
  if (!fronts.has(socket)) return own
  const said = headers[VISITOR_FIELD]
  const visitor = typeof said === 'string' ? parseVisitor(said) : null
  if (visitor === null) return null
  const addressBytes = Buffer.from(visitor.clientAddress, 'latin1')
  // The name in the handshake is the channel's; the front has judged its visitor's.
  return { ...own, ...visitor, addressBytes, serverName: null, front: true }
}
