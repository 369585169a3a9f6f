import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import type { PanelCertificate } from './panel-certificate.ts'

/** One listening server, whatever is spoken on its connections. */
export interface Front {
  server: Server
  /** Ends connections on which nothing is under way. */
  closeIdle(): void
  /** Ends all connections. */
  closeAll(): void
}

/** First byte of a TLS connection (RFC 8446, 5.1: record of type handshake). */
const TLS_HANDSHAKE = 0x16
/** For the first byte, and for the handshake. */
const GREETING_MS = 10_000
const HOST_PATTERN = /^[A-Za-z0-9._:[\]-]{1,255}$/

/** Leads a browser that was sent to http to the same place over https. */
const toHttps = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const host = incoming.headers.host ?? ''
  const target = incoming.url ?? '/'
  outgoing.setHeader('connection', 'close')
  if (!HOST_PATTERN.test(host) || !target.startsWith('/')) {
    outgoing.writeHead(400).end()
    return
  }
  const status = incoming.method === 'GET' || incoming.method === 'HEAD' ? 301 : 308
  outgoing.writeHead(status, { location: `https://${host}${target}` }).end()
}

/** A plain http listener. */
export const createPlainFront = (options: ServerOptions, listener: RequestListener): Front => {
  const server = createHttpServer(options, listener)
  return {
    server,
    closeIdle: () => server.closeIdleConnections(),
    closeAll: () => server.closeAllConnections(),
  }
}

/**
 * A listener that serves https, and answers http on the same port by leading to
 * it: a browser that is given an address with a port begins with http.
 */
export const createTlsFront = (
  options: ServerOptions,
  listener: RequestListener,
  certificate: PanelCertificate,
): Front => {
  const secure = createHttpsServer(
    { ...options, ...certificate.pair, minVersion: 'TLSv1.2', handshakeTimeout: GREETING_MS },
    listener,
  )
  const plain = createHttpServer(options, toHttps)
  const inner = [secure, plain]
  // Their limits of time begin to be watched when they listen, which only the outer one does.
  for (const server of inner) server.emit('listening')
  // A handshake that fails is the client's business.
  secure.on('tlsClientError', (_error, socket) => socket.destroy())

  const server = createServer({ noDelay: true }, (socket) => {
    const late = setTimeout(() => socket.destroy(), GREETING_MS)
    const failed = (): void => void socket.destroy()
    socket.once('error', failed)
    socket.once('close', () => clearTimeout(late))
    socket.once('data', (first: Buffer) => {
      clearTimeout(late)
      socket.off('error', failed)
      socket.pause()
      socket.unshift(first)
      const target = first[0] === TLS_HANDSHAKE ? secure : plain
      target.emit('connection', socket)
      // What was read belongs to whoever took the connection over.
      if (target === plain) process.nextTick(() => socket.resume())
    })
  })
  const stop = certificate.follow((pair) =>
    secure.setSecureContext({ ...pair, minVersion: 'TLSv1.2' }),
  )
  server.on('close', () => {
    stop()
    for (const one of inner) one.close()
  })
  return {
    server,
    closeIdle: () => inner.forEach((one) => one.closeIdleConnections()),
    closeAll: () => inner.forEach((one) => one.closeAllConnections()),
  }
}
