import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boundPieces } from '../slow/paced-pieces.ts'
import { serveMessage, type MessageOptions } from '../slow/serve-message.ts'
import type { ConnectionTimes } from '../connection-services.ts'
import type { Tunnels } from '../../proxy/tunnels.ts'
import { serveUpgrade, asksForWebSocket } from '../slow/serve-upgrade.ts'
import { GeneralSocket } from './general-socket.ts'
import { isUpgradeIgnored } from './node-request.ts'
import { readRequestLine } from '../head/read-request-line.ts'

/** Idle connections get this long for one more request before they are closed. */
const DRAIN_GRACE_MS = 1000
const NO_TUNNEL = 'HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

export interface GeneralServerOptions extends MessageOptions {
  /** Milliseconds. */
  times: ConnectionTimes & { requestMs: number }
  tunnels: Tunnels
}

/** The HTTP server for everything that is not plainly a GET or HEAD. */
export interface GeneralServer {
  /**
   * Takes over a connection whose next unread bytes are `unread`; the head that they
   * begin must be whole after `headMs`. `method`: that of the first request, where
   * another stands in for it in `unread`.
   */
  take(socket: Socket, unread: Buffer, headMs: number, method?: string | null): void
  connections(): number
  all(): Iterable<GeneralSocket>
  /** Stops keeping connections; resolves when the last one is gone. */
  drain(): Promise<void>
  destroy(): void
}

/** Events by which node:http reads a connection. */
const READING = ['data', 'end', 'drain', 'timeout'] as const

/** What a parser of node:http offers to let go of a connection. */
interface Parser {
  unconsume(): void
  remove(): void
}

/** Has `attach` give the socket to node:http; what is returned takes it away and pauses it. */
const attached = (socket: Socket, attach: () => void): (() => void) => {
  const before = READING.map((name) => new Set(socket.listeners(name)))
  attach()
  const added = READING.flatMap((name, at) =>
    socket
      .listeners(name)
      .filter((listener) => before[at]?.has(listener) === false)
      .map((listener) => ({ name, listener: listener as () => void })),
  )
  return () => {
    socket.pause()
    for (const { name, listener } of added) socket.off(name, listener)
    const parser = Reflect.get(socket, 'parser') as Parser | null
    parser?.unconsume()
    // Its times are over as well.
    parser?.remove()
    Reflect.set(socket, 'parser', null)
  }
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
    maxHeaderSize: options.maxHeadBytes,
    headersTimeout: Math.min(options.times.headMs, options.times.requestMs),
    requestTimeout: options.times.requestMs,
    keepAliveTimeout: options.times.keepAliveMs,
    connectionsCheckingInterval: 1000,
    keepAlive: false,
    insecureHTTPParser: false,
    requireHostHeader: false,
    shouldUpgradeCallback: asksForWebSocket,
  })
  server.maxHeadersCount = 0
  // A client that has said all it wanted still gets its whole response.
  Reflect.set(server, 'httpAllowHalfOpen', true)
  const sockets = new Map<Socket, GeneralSocket>()
  const answer = (message: IncomingMessage, out: ServerResponse, expects: boolean): void => {
    boundPieces(message)
    const socket = sockets.get(message.socket)
    const foreign = socket?.takeMethod() ?? null
    if (foreign !== null) message.method = foreign
    // What follows could have such a method as well, and only a new connection is looked at.
    const isLast = isUpgradeIgnored(message) || foreign !== null || socket?.isFull === true
    const how = { expectsContinue: expects, isLast }
    socket?.begin(out, isLast, () => serveMessage(message, out, how, options))
  }
  server.on('request', (message, out) => answer(message, out, false))
  server.on('checkContinue', (message, out) => answer(message, out, true))
  server.on('checkExpectation', (message, out) => {
    sockets.get(message.socket)?.begin(out, true, () => {
      out.writeHead(417, { connection: 'close', 'content-length': '0' }).end()
      return Promise.resolve(true)
    })
  })
  // Resets the time at every sign of life; the keep-alive time between requests ends here too.
  server.timeout = options.times.stallMs
  server.on('timeout', (socket) => sockets.get(socket)?.onStalled())
  const attachments = new WeakMap<Socket, () => void>()
  const take: GeneralServer['take'] = (socket, unread, headMs, method = null) => {
    const { maxHeadBytes } = options
    const times = { headMs, stallMs: options.times.stallMs, maxHeadBytes }
    const httpDate = (): string => options.clock.httpDate
    if (!sockets.has(socket)) socket.once('close', () => sockets.delete(socket))
    sockets.set(socket, new GeneralSocket(socket, unread, times, httpDate, method))
    socket.unshift(unread)
    attachments.set(
      socket,
      attached(socket, () => server.emit('connection', socket)),
    )
  }
  /** Whether a later request is read anew whose line node:http could not read, as a first one is. */
  const takesAgain = (error: Error, socket: Socket): boolean => {
    const bytes = sockets.get(socket)?.unreadLine(error)
    const line = bytes ? readRequestLine(bytes) : null
    if (line?.kind !== 'foreign') return false
    attachments.get(socket)?.()
    // The parser that failed is still at work further up.
    setImmediate(() => {
      if (socket.destroyed) return
      take(socket, line.bytes, options.times.headMs, line.method)
      socket.resume()
    })
    return true
  }
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    if (!takesAgain(error, socket)) sockets.get(socket)?.onUnreadable(error)
  })
  server.on('upgrade', (message, socket, ahead) => {
    // It belongs to no request any more; the tunnel has a time of its own.
    message.socket.setTimeout(0)
    sockets.get(message.socket)?.leave()
    serveUpgrade(message, socket, ahead, options).catch((error: unknown) => {
      options.log.error('a request failed', { error: String(error) })
      socket.destroy()
    })
  })
  server.on('connect', (_message, socket) => socket.end(NO_TUNNEL))
  await listenPrivately(server)
  return {
    take,
    connections: () => sockets.size,
    all: () => sockets.values(),
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
      for (const socket of sockets.keys()) socket.destroy()
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
