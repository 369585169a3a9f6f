import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '#handlers/ports/log.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import type { AccessLog } from '../../log/access-log.ts'
import { visitorOf } from '../general/visitor-of.ts'
import { serveSite } from './serve-site.ts'
import { RequestError } from './build-request.ts'
import { earlyHintsHead } from './early-hints-head.ts'
import type { HttpClock } from '../http-clock.ts'
import {
  headBytes,
  headersOfMessage,
  judgeTarget,
  type JudgedTarget,
} from '../general/node-request.ts'
import { writeNodeResponse } from '../general/node-response.ts'
import { plainResponse } from './plain-response.ts'
import { HEAD_TOO_LARGE } from '../write/raw-response.ts'
import { sentBefore } from '../write/pump-body.ts'
import { readAway } from './paced-pieces.ts'
import { contentRefused, hasBody, hasContent, requestBody } from './request-body.ts'
import { factsOf } from '../../front/told-facts.ts'
import type { Trailers } from '../general/write-response.ts'

/** How long the rest of an unwanted body is read away after the response, so that the client gets to see the response. */
const LINGER_MS = 2000

export interface MessageOptions {
  site: SiteHandler
  accessLog: AccessLog
  clock: HttpClock
  log: Log
  /** 0 is unlimited. */
  maxBodyBytes: number
  /** Longest request head, in bytes. */
  maxHeadBytes: number
  draining(): boolean
  onRequest(): void
}

/**
 * Answers one request of the general HTTP server through the site handler.
 * `expectsContinue`: the client waits for 100 Continue before it sends the body;
 * `isLast`: no request follows on its connection. Resolves with whether the connection ends with the response.
 */
export const serveMessage = async (
  message: IncomingMessage,
  out: ServerResponse,
  { expectsContinue, isLast }: { expectsContinue: boolean; isLast: boolean },
  options: MessageOptions,
): Promise<boolean> => {
  const { clock, log, maxBodyBytes } = options
  clock.update()
  options.onRequest()
  const startedMs = performance.now()
  const method = message.method ?? ''
  const facts = factsOf(message)
  if (facts === null) {
    message.socket.destroy()
    return true
  }
  const protocol = message.httpVersion === '1.0' ? ('HTTP/1.0' as const) : ('HTTP/1.1' as const)
  const abort = new AbortController()
  out.on('close', () => {
    if (!out.writableFinished) abort.abort(new Error('The client closed the connection.'))
  })
  out.on('error', () => undefined)
  let judged: JudgedTarget | null = null
  const withBody = hasBody(message)
  const isBodyless = method === 'GET' || method === 'HEAD'
  const withContent = withBody && isBodyless && (expectsContinue || (await hasContent(message)))
  const tooLarge = `The request body is larger than the ${maxBodyBytes} bytes allowed.`
  let outgrown = false
  const build = (target: JudgedTarget): Request => {
    if (withContent) throw new RequestError(400, contentRefused(method))
    const body = withBody && !isBodyless
    if (body && maxBodyBytes > 0 && Number(message.headers['content-length'] ?? 0) > maxBodyBytes) {
      throw new RequestError(413, tooLarge)
    }
    const onFirstRead = (): void => {
      if (expectsContinue && !out.headersSent) out.writeContinue()
    }
    const onTooLarge = (): void => {
      outgrown = true
    }
    return new Request(target.url, {
      method,
      headers: headersOfMessage(message),
      signal: abort.signal,
      ...(body
        ? { body: requestBody(message, maxBodyBytes, onFirstRead, onTooLarge), duplex: 'half' }
        : {}),
    })
  }
  const earlyHints = (links: readonly string[]): void => {
    // HTTP/1.0 knows no interim answers (RFC 9110, 15.2).
    if (out.headersSent || out.destroyed || protocol === 'HTTP/1.0') return
    // Not by node:http, which refuses a list of links in one field; it is this response's turn to write.
    out.socket?.write(earlyHintsHead(links), 'latin1')
  }
  let trailers: Trailers | null = null
  const context = {
    ...facts,
    protocol,
    rawTarget: message.url ?? '',
    earlyHints,
    trailers: (fields: Trailers) => void (trailers = fields),
  }
  const answered = await serveSite(
    (request) => options.site(request, { ...context, rawTarget: judged?.rawTarget ?? '' }),
    () => {
      if (headBytes(message) > options.maxHeadBytes) throw new RequestError(431, HEAD_TOO_LARGE)
      judged = judgeTarget(message, facts.secure)
      return build(judged)
    },
    context,
    log,
  )
  const { refused } = answered
  let { response } = answered
  if (outgrown) {
    // To the site it was a body that broke off.
    response.body?.cancel().catch(() => undefined)
    response = plainResponse(413, tooLarge)
  }
  let bodyBytes: number
  const unreadBody = withBody && !message.complete
  const close = refused || unreadBody || isLast || options.draining()
  try {
    const how = { method, httpDate: clock.httpDate, close, trailers: () => trailers }
    bodyBytes = await writeNodeResponse(out, response, how)
    if (unreadBody) readRestAway(message)
  } catch (error) {
    bodyBytes = sentBefore(error)
    if (!out.destroyed)
      log.error('an answer broke off', { ...facts, target: message.url, error: String(error) })
    message.socket.destroy()
  }
  clock.update()
  const host = nameOf(message)
  options.accessLog.record({
    address: facts.clientAddress,
    method,
    target: message.url ?? '',
    protocol,
    status: response.status,
    bodyBytes,
    ...visitorOf(message, facts.clientAddress, host),
    host,
    cache: response.headers.get('x-cache'),
    durationMs: performance.now() - startedMs,
  })
  return close
}

/** The name a request asks for, as the access log has it. */
export const nameOf = (message: IncomingMessage): string =>
  (message.headers.host ?? '').replace(/:\d*$/, '').toLowerCase()

/** Reads the rest of a body that nobody wants for a moment, then ends the connection. */
const readRestAway = (message: IncomingMessage): void => {
  const { socket } = message
  readAway(message)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
