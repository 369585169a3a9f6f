import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import type { Log } from '#handlers/ports/log.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { logTail, type AccessLog } from '../log/access-log.ts'
import { answerSite } from './answer-site.ts'
import { RequestError } from './build-request.ts'
import type { HttpClock } from './http-clock.ts'
import { headersOfMessage, judgeTarget, type JudgedTarget } from './node-request.ts'
import { writeNodeResponse } from './node-response.ts'
import { hasBody, requestBody } from './request-body.ts'
import { connectionFacts } from './site-context-of.ts'

/** How long the rest of an unwanted body is read away after the answer, so that the client gets to see the answer. */
const LINGER_MS = 2000

/** Idle connections get this long for one more request before they are closed. */
const DRAIN_GRACE_MS = 1000
const NO_TUNNEL = 'HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

export interface GeneralServerOptions {
  site: SiteHandler
  accessLog: AccessLog
  clock: HttpClock
  log: Log
  /** Milliseconds. */
  times: { requestMs: number; keepAliveMs: number }
  /** 0 is unlimited. */
  maxBodyBytes: number
  draining(): boolean
  onRequest(): void
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

const answerMessage = async (
  message: IncomingMessage,
  out: ServerResponse,
  expectsContinue: boolean,
  options: GeneralServerOptions,
): Promise<void> => {
  const { clock, log, maxBodyBytes } = options
  clock.update()
  options.onRequest()
  const startedMs = performance.now()
  const method = message.method ?? ''
  const facts = connectionFacts(message.socket, message.socket instanceof TLSSocket)
  const protocol = message.httpVersion === '1.0' ? ('HTTP/1.0' as const) : ('HTTP/1.1' as const)
  const abort = new AbortController()
  out.on('close', () => {
    if (!out.writableFinished) abort.abort(new Error('The client closed the connection.'))
  })
  out.on('error', () => undefined)
  let judged: JudgedTarget | null = null
  const withBody = hasBody(message)
  const build = (target: JudgedTarget): Request => {
    const body = withBody && method !== 'GET' && method !== 'HEAD'
    if (body && maxBodyBytes > 0 && Number(message.headers['content-length'] ?? 0) > maxBodyBytes) {
      throw new RequestError(
        413,
        `The request body is larger than the ${maxBodyBytes} bytes allowed.`,
      )
    }
    const onFirstRead = (): void => {
      if (expectsContinue && !out.headersSent) out.writeContinue()
    }
    return new Request(target.url, {
      method,
      headers: headersOfMessage(message),
      signal: abort.signal,
      ...(body ? { body: requestBody(message, maxBodyBytes, onFirstRead), duplex: 'half' } : {}),
    })
  }
  const context = { ...facts, protocol, rawTarget: message.url ?? '' }
  const { response, refused } = await answerSite(
    (request) => options.site(request, { ...context, rawTarget: judged?.rawTarget ?? '' }),
    () => {
      judged = judgeTarget(message, facts.secure)
      return build(judged)
    },
    context,
    log,
  )
  let bodyBytes = 0
  const unreadBody = withBody && !message.complete
  const close = refused || unreadBody || options.draining()
  try {
    bodyBytes = await writeNodeResponse(out, response, { method, httpDate: clock.httpDate, close })
    if (unreadBody) readAway(message)
  } catch (error) {
    if (!out.destroyed) log.error('an answer broke off', { ...context, error: String(error) })
    message.socket.destroy()
  }
  clock.update()
  options.accessLog.record({
    address: facts.clientAddress,
    method,
    target: message.url ?? '',
    protocol,
    status: response.status,
    bodyBytes,
    tail: logTail(
      message.headers.referer ?? null,
      message.headers['user-agent'] ?? null,
      (message.headers.host ?? '').replace(/:\d*$/, '').toLowerCase(),
    ),
    cache: response.headers.get('x-cache'),
    durationMs: performance.now() - startedMs,
  })
}

/** Reads the rest of a body that nobody wants for a moment, then ends the connection. */
const readAway = (message: IncomingMessage): void => {
  const { socket } = message
  message.removeAllListeners('data')
  message.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
