import { constants } from 'node:crypto'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { ChannelKeys, WatchedChannel } from '../../web-channel/channel-files.ts'

const HANDSHAKE_MS = 5000

const contextOf = ({ key, certificate, peers }: ChannelKeys) => ({
  key,
  cert: certificate,
  // These and nothing else: without the system's, and no front can vouch for another.
  ca: peers.map((peer) => peer.certificate),
  minVersion: 'TLSv1.3' as const,
  // A resumed session would not be looked at again.
  secureOptions: constants.SSL_OP_NO_TICKET,
})

/**
 * Ends TLS 1.3 for fronts of the list, which show the very certificate that stands there, and gives
 * their connections to `serve`. Without keys or with an empty list every connection is closed; who
 * is taken from the list loses those that he has.
 */
export const createFrontListener = (
  channel: WatchedChannel,
  serve: (socket: TLSSocket) => void,
): Server => {
  let applied: ChannelKeys | null = null
  const open = new Map<TLSSocket, string>()
  const server = createServer({
    minVersion: 'TLSv1.3',
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: HANDSHAKE_MS,
    noDelay: true,
    ALPNProtocols: ['http/1.1'],
  })
  const isListed = (fingerprint: string | undefined): boolean =>
    applied?.peers.some((peer) => peer.fingerprint === fingerprint) === true
  /** Takes up what the files say. */
  const look = (): void => {
    const now = channel.now()
    if (now === applied) return
    applied = now
    if (now !== null) server.setSecureContext(contextOf(now))
    for (const [socket, fingerprint] of open) if (!isListed(fingerprint)) socket.destroy()
  }
  // First of all, for the handshake is judged by the list of this moment.
  server.prependListener('connection', (socket) => {
    look()
    if (applied === null || applied.peers.length === 0) socket.destroy()
  })
  server.on('secureConnection', (socket) => {
    look()
    const fingerprint = socket.authorized
      ? socket.getPeerX509Certificate()?.fingerprint256
      : undefined
    if (fingerprint === undefined || !isListed(fingerprint)) return void socket.destroy()
    open.set(socket, fingerprint)
    socket.once('close', () => open.delete(socket))
    serve(socket)
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  const looking = setInterval(look, 1000)
  looking.unref()
  server.on('close', () => clearInterval(looking))
  look()
  return server
}
