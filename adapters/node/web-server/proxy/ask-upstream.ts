import { request as requestHttp } from 'node:http'
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { boundPieces } from '../http1/slow/paced-pieces.ts'
import { asUnreachable } from './upstreams/open-connection.ts'
import { isOurs, UpstreamError } from './upstreams/upstream-error.ts'
import { ClientBodyError, sendBody } from './send-body.ts'

/** A kept connection turned out to be closed, or spoilt, before anything of a response came; the request may be sent again. */
export class StaleConnection extends Error {
  constructor() {
    super('The application had closed the connection.')
    this.name = 'StaleConnection'
  }
}

/** How long an application may take to invite a body with 100 Continue before it is sent anyway (RFC 9110, 10.1.1). */
const INVITATION_MS = 1000
/** Bytes of a response's head. */
const MAX_HEAD_BYTES = 64 * 1024
/** Interim answers (1xx) before the real one. */
const MAX_INTERIM = 16

/** One request, ready to be sent. */
export interface Exchange {
  options: RequestOptions
  secure: boolean
  /** Null: on a connection of its own, made by `options.createConnection`. */
  agent: Agent | null
  body: ReadableStream<Uint8Array> | null
  /** Announced length of the body; null when unknown. */
  bodyBytes: number | null
  /** Whether the application must invite the body. */
  expectsContinue: boolean
  connectMs: number
  /** From the last byte sent to the head of the response. */
  answerMs: number
  signal: AbortSignal
  onEarlyHints(links: string[]): void
}

/** What came of it. */
export type Answered =
  | { kind: 'answer'; answer: IncomingMessage; outgoing: ClientRequest }
  | { kind: 'switched'; answer: IncomingMessage; connection: Socket; first: Buffer }

/** Connections that have carried a response before. */
const used = new WeakSet<Socket>()

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

const reasonFor = (error: Error, connected: boolean): OriginError => {
  if (error instanceof OriginError) return error
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new OriginError(502, "the head of the application's answer is too large", error)
  }
  if (code.startsWith('HPE_')) {
    return new OriginError(502, "the application's answer is broken", error)
  }
  if (!connected || isOurs(code)) return asUnreachable(error)
  const what = 'the application closed the connection without an answer'
  return new UpstreamError('broken', 502, what, error)
}

const isConnected = (socket: Socket): boolean =>
  !socket.connecting && !(socket instanceof TLSSocket && socket.getProtocol() === null)

/**
 * Sends a request and resolves with the head of its response. Rejects with
 * `OriginError` (400 the client's body failed, 502 broken or unreachable, 503 no
 * connection free, 504 too slow), or with `StaleConnection`.
 */
export const askUpstream = (exchange: Exchange): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { agent, body, connectMs, answerMs, signal } = exchange
    const send = exchange.secure && agent !== null ? requestHttps : requestHttp
    let outgoing: ClientRequest
    try {
      outgoing = send({
        ...exchange.options,
        ...(agent === null ? {} : { agent }),
        maxHeaderSize: MAX_HEAD_BYTES,
      })
    } catch (error) {
      reject(
        error instanceof OriginError
          ? error
          : new OriginError(400, 'the request cannot be passed on', error),
      )
      return
    }
    // Node writes it in upper case, but methods are told apart by case (RFC 9110, 9.1).
    if (exchange.options.method !== undefined) outgoing.method = exchange.options.method
    // The default would leave fields out beyond a number; the head's size is limited anyway.
    outgoing.maxHeadersCount = 0
    let socket: Socket | null = null
    let connected = false
    let reused = false
    let settled = false
    let interim = 0
    let isWhole = (): boolean => false
    let timer: NodeJS.Timeout | undefined

    const settle = (): boolean => {
      clearTimeout(timer)
      clearTimeout(invitation)
      if (settled) return false
      settled = true
      return true
    }
    const fail = (error: Error): void => {
      if (settle()) {
        signal.removeEventListener('abort', onAbort)
        reject(error)
        outgoing.destroy()
      } else if (!isWhole()) outgoing.destroy()
      // What follows a whole response cost the connection; the response is still being read.
      else socket?.destroy()
    }
    const onAbort = (): void => fail(new OriginError(400, 'the client closed the connection'))
    const waitForResponse = (): void => {
      if (settled) return
      clearTimeout(timer)
      timer = setTimeout(
        () =>
          fail(
            new UpstreamError('silent', 504, `the application sent no answer for ${answerMs} ms`),
          ),
        answerMs,
      )
    }
    const onConnected = (): void => {
      connected = true
      waitForResponse()
    }
    timer = setTimeout(() => {
      fail(
        socket === null
          ? new OriginError(503, 'all connections to the application are in use')
          : new UpstreamError(
              'unreachable',
              504,
              `there was no connection to the application in ${connectMs} ms`,
            ),
      )
    }, connectMs)

    outgoing.on('socket', (taken: Socket) => {
      socket = taken
      reused = used.has(taken)
      if (isConnected(taken)) onConnected()
      else taken.once(taken instanceof TLSSocket ? 'secureConnect' : 'connect', onConnected)
    })
    outgoing.on('error', (error) => {
      const code = codeOf(error)
      // What breaks the head on a kept connection may be the rest of the answer before it.
      const stale = ['ECONNRESET', 'EPIPE'].includes(code) || code.startsWith('HPE_')
      fail(reused && stale && body === null ? new StaleConnection() : reasonFor(error, connected))
    })
    outgoing.on('information', ({ statusCode, headers }) => {
      if (++interim > MAX_INTERIM)
        fail(new OriginError(502, 'the application sent only interim answers'))
      const links = headers['link']
      if (statusCode === 103 && links !== undefined && !settled) {
        exchange.onEarlyHints(Array.isArray(links) ? links : [links])
      }
    })
    outgoing.on('response', (answer) => {
      boundPieces(answer)
      if (socket !== null) used.add(socket)
      if (!settle()) return
      // From here on the response's own stream ends with the client.
      const end = (): void => {
        signal.removeEventListener('abort', end)
        if (signal.aborted || !answer.complete) outgoing.destroy()
      }
      isWhole = () => answer.complete
      signal.removeEventListener('abort', onAbort)
      signal.addEventListener('abort', end)
      answer.once('close', end)
      resolve({ kind: 'answer', answer, outgoing })
    })
    outgoing.on('upgrade', (answer, connection: Socket, first) => {
      // Until the tunnel takes care of it.
      connection.on('error', () => connection.destroy())
      signal.removeEventListener('abort', onAbort)
      if (settle()) resolve({ kind: 'switched', answer, connection, first })
      else connection.destroy()
    })

    let started = false
    const startBody = (): void => {
      if (started || outgoing.destroyed || body === null) return
      started = true
      sendBody(body, outgoing, exchange.bodyBytes, () => {
        if (connected) waitForResponse()
      }).catch((error: unknown) => {
        if (error instanceof ClientBodyError) fail(new OriginError(400, error.message, error.cause))
      })
    }
    let invitation: NodeJS.Timeout | undefined
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    if (body === null) outgoing.end()
    else if (exchange.expectsContinue) {
      outgoing.on('continue', startBody)
      invitation = setTimeout(startBody, INVITATION_MS)
      outgoing.flushHeaders()
    } else startBody()
  })
