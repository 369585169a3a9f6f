import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerMessage, type MessageOptions } from './answer-message.ts'

/** Idle connections get this long for one more request before they are closed. */
const DRAIN_GRACE_MS = 1000
const NO_TUNNEL = 'HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

export interface GeneralServerOptions extends MessageOptions {
  /** Milliseconds. */
  times: { requestMs: number; keepAliveMs: number }
}

/** The HTTP server for everything that is not plainly a GET or HEAD. */
export interface GeneralServer {
  /** Takes over a connection whose next unread bytes are `unread`. */
  take(socket: Socket, unread: Buffer): void
  connections(): number
  /** Stops keeping connections; resolves when the last one is gone. */
  drain(): Promise<void>
  destroy(): void
}

/**
 * node:http, fed with sockets that the fast parser gave up. It really listens,
 * since otherwise its timeouts never fire: on a unix socket in a private
 * directory that is removed at once, so nobody can ever connect there.
 */
export const createGeneralServer = async (
  options: GeneralServerOptions,
): Promise<GeneralServer> => {
  const server = createServer({
    maxHeaderSize: 16_384,
    headersTimeout: options.times.requestMs,
    requestTimeout: options.times.requestMs,
    keepAliveTimeout: options.times.keepAliveMs,
    connectionsCheckingInterval: 1000,
    keepAlive: false,
    insecureHTTPParser: false,
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  // A client that has said all it wanted still gets its whole answer.
  Reflect.set(server, 'httpAllowHalfOpen', true)
  const sockets = new Set<Socket>()
  const answer = (message: IncomingMessage, out: ServerResponse, expects: boolean): void => {
    void answerMessage(message, out, expects, options)
  }
  server.on('request', (message, out) => answer(message, out, false))
  server.on('checkContinue', (message, out) => answer(message, out, true))
  server.on('connect', (_message, socket) => socket.end(NO_TUNNEL))
  await listenPrivately(server)
  return {
    take: (socket, unread) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.unshift(unread)
      server.emit('connection', socket)
    },
    connections: () => sockets.size,
    drain: () =>
      new Promise((resolve) => {
        const graceMs = performance.now() + DRAIN_GRACE_MS
        const check = setInterval(() => {
          if (performance.now() >= graceMs) server.closeIdleConnections()
          if (sockets.size > 0) return
          clearInterval(check)
          // Not before: closing stops the timeouts and drops idle connections at once.
          server.close()
          resolve()
        }, 100)
      }),
    destroy: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const listenPrivately = async (server: Server): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-web-'))
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(join(directory, 's'), () => resolve())
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
