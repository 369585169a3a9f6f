import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** For the end of a tunnel, which ends TLS elsewhere. */
export interface TunnelServerOptions {
  maxConnections: number
  maxHeaderBytes: number
  requestMs: number
  silenceMs: number
  /** Whether any panel is trusted at the moment; without one nothing is read of a request. */
  isOpen(): boolean
  passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
}

/**
 * HTTP without TLS, for a unix socket that only a chosen group may connect to. Nobody shows who he is here: as
 * on a link with TLS the agent judges each call by its own signature, and the tunnel may read what it carries.
 */
export const createTunnelServer = (options: TunnelServerOptions): Server => {
  const { requestMs } = options
  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes,
      requestTimeout: requestMs,
      headersTimeout: Math.min(requestMs, 10_000),
      connectionsCheckingInterval: Math.min(requestMs, 1000),
      keepAliveTimeout: options.silenceMs,
    },
    (incoming, outgoing) => {
      if (!options.isOpen()) return void incoming.socket.destroy()
      void options.passOn(incoming, outgoing)
    },
  )
  server.maxConnections = options.maxConnections
  server.maxHeadersCount = 64
  server.timeout = options.silenceMs
  return server
}
