import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, Server as TlsServer, type SecureContext } from 'node:tls'
import type { ConnectionGate } from './connections/connection-gate.ts'
import type { WatchedChannel } from '../web-channel/channel-files.ts'
import { Handshakes } from './connections/handshakes.ts'
import { createFrontListener } from './front/front-listener.ts'
import type { Http1Engine } from './http1/http1-engine.ts'
import type { TlsProtocols } from './tls/tls-protocols.ts'

/** One inherited listening descriptor. */
export interface InheritedListener {
  fd: number
  /** `host:port`, for messages. */
  address: string
  kind: 'http' | 'https' | 'front' | 'panel' | 'control'
}

export interface TlsOptions {
  /** Context for a name; the default one for unknown names. */
  contextFor(name: string): SecureContext | Promise<SecureContext>
  /** Of every worker the same, so that sessions resume at any of them; 48 bytes. */
  ticketKeys: Buffer
  defaultContext: { key: string; cert: string }
  protocols: TlsProtocols
  /** By which fronts are known. */
  channel: WatchedChannel
}

/** Listeners that are open. */
export interface Listeners {
  /** Accepts nothing more. */
  stop(): void
  /** Seals session tickets from now on. */
  setTicketKeys(keys: Buffer): void
}

/** Time for a TLS handshake. */
const HANDSHAKE_MS = 10_000
const BACKLOG = 4096

const createListener = (engine: Http1Engine, kind: string, tls: TlsOptions): Server => {
  if (kind === 'front')
    return createFrontListener(tls.channel, (socket) => {
      socket.allowHalfOpen = true
      engine.serveFront(socket)
    })
  if (kind !== 'https') {
    return createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      engine.serve(socket, false),
    )
  }
  const server = createTlsServer({
    ...tls.defaultContext,
    ...tls.protocols,
    ticketKeys: tls.ticketKeys,
    handshakeTimeout: HANDSHAKE_MS,
    noDelay: true,
    ALPNProtocols: ['h2', 'http/1.1'],
    SNICallback: (name, callback) => {
      const context = tls.contextFor(name.toLowerCase())
      if (!(context instanceof Promise)) return callback(null, context)
      context.then((ready) => callback(null, ready), callback)
    },
  })
  server.on('secureConnection', (socket) => {
    // From here on a client that has said all it wanted still gets its response.
    socket.allowHalfOpen = true
    engine.serve(socket, true)
  })
  // Failed handshakes are the client's business.
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  return server
}

/** Accepts, asks the gate, and gives a TLS server only what may come in: its handshake has not begun then. */
const withGate = (server: Server, gate: ConnectionGate, handshakes: Handshakes): Server => {
  const secure = server instanceof TlsServer
  if (secure) handshakes.watch(server)
  // A client that ends its side in the middle of a handshake is gone.
  return createServer({ allowHalfOpen: !secure, noDelay: true }, (socket) => {
    if (!gate.admit(socket)) return
    if (secure) handshakes.begin(socket)
    server.emit('connection', socket)
  })
}

/**
 * Accepts on descriptors that were opened outside and are shared with the other
 * workers; closing one here closes it for nobody else. Resolves when all listen.
 */
export const openListeners = async (
  inherited: readonly InheritedListener[],
  engine: Http1Engine,
  tls: TlsOptions,
  gate: ConnectionGate,
): Promise<Listeners> => {
  const handshakes = new Handshakes()
  gate.room.add(() => handshakes.all())
  const inner = inherited.map(({ kind }) => createListener(engine, kind, tls))
  const servers = inner.map((server) => withGate(server, gate, handshakes))
  await Promise.all(
    servers.map(
      (server, index) =>
        new Promise<void>((resolve, reject) => {
          server.once('error', reject)
          server.listen({ fd: inherited[index]?.fd ?? -1, backlog: BACKLOG }, () => resolve())
        }),
    ),
  )
  return {
    stop: () => {
      for (const server of servers) server.close()
    },
    setTicketKeys: (keys) => {
      for (const server of inner) if (server instanceof TlsServer) server.setTicketKeys(keys)
    },
  }
}
