import type { ServerHttp2Stream } from 'node:http2'
import type { WholeFile } from '#handlers/sites/site-context.ts'
import { serveSite } from '../../http1/slow/serve-site.ts'
import { checkHost, RequestError, requestUrl } from '../../http1/slow/build-request.ts'
import { queryOf } from '../../http1/fast/file-fast-path.ts'
import { boundPieces, readAway } from '../../http1/slow/paced-pieces.ts'
import { plainResponse } from '../../http1/slow/plain-response.ts'
import { sentBefore } from '../../http1/write/pump-body.ts'
import { contentRefused, hasContent, requestBody } from '../../http1/slow/request-body.ts'
import type { Trailers } from '../../http1/general/write-response.ts'
import { copiedResponse } from '../../http1/write/write-file.ts'
import type { ConnectionFacts } from '../../http1/slow/site-context-of.ts'
import type { Http2Services, StreamState } from '../http2-services.ts'
import { sendSmallFile } from './send-file.ts'
import { breakOff, sendResponse } from './stream-response.ts'
import type { AccessRecord } from '../../log/access-log.ts'
import type { StreamHead } from './stream-head.ts'

/** How long the rest of an unwanted body is read away after the response, so that the client gets to see the response. */
const LINGER_MS = 2000
const MISDIRECTED =
  'This connection was made to another site. Open one to this site and ask again there.'

export interface SlowStream {
  stream: ServerHttp2Stream
  head: StreamHead
  state: StreamState
  misdirected: boolean
  /** For log and figures. */
  who: Pick<AccessRecord, 'tail' | 'visitor'>
  /** The judged authority; empty when it names no site. */
  host: string
}

const requestOf = (
  { stream, head, state, misdirected }: SlowStream,
  services: Http2Services,
  withContent: boolean,
  signal: AbortSignal,
  onOutgrown: () => void,
): Request => {
  const { maxBodyBytes } = services
  head.check()
  const url = requestUrl(true, checkHost(head.target), head.path === '*' ? '/' : head.path)
  if (misdirected) throw new RequestError(421, MISDIRECTED)
  const { method } = head
  if (withContent) throw new RequestError(400, contentRefused(method))
  const withBody = state.receiving && !isBodyless(method)
  if (withBody && maxBodyBytes > 0 && Number(head.contentLength ?? 0) > maxBodyBytes) {
    throw new RequestError(413, tooLarge(maxBodyBytes))
  }
  const onFirstRead = (): void => {
    const waits = head.expectsContinue && !stream.headersSent && !stream.closed
    if (waits && !stream.destroyed) stream.additionalHeaders({ ':status': 100 })
  }
  return new Request(url, {
    method,
    headers: head.headers(),
    signal,
    ...(withBody
      ? { body: requestBody(stream, maxBodyBytes, onFirstRead, onOutgrown), duplex: 'half' }
      : {}),
  })
}

/** 103 ahead of the response (RFC 8297). */
const sendEarlyHints = (stream: ServerHttp2Stream, links: readonly string[]): void => {
  if (stream.headersSent || stream.closed || stream.destroyed) return
  try {
    stream.additionalHeaders({ ':status': 103, link: [...links] })
  } catch {
    // No Link field: the real answer will do.
  }
}

const isBodyless = (method: string): boolean => method === 'GET' || method === 'HEAD'

const tooLarge = (limit: number): string =>
  `The request body is larger than the ${limit} bytes allowed.`

/** Asks the site handler and sends its response. Never rejects; a broken answer resets the stream. */
export const serveStreamSlow = async (
  slow: SlowStream,
  connection: ConnectionFacts,
  services: Http2Services,
): Promise<void> => {
  const { stream, head, state, who } = slow
  const { clock, log } = services
  if (state.receiving) boundPieces(stream)
  const startedMs = performance.now()
  const askedAtMs = clock.nowMs
  let file: WholeFile | null = null
  let trailers: Trailers | null = null
  const abort = new AbortController()
  let finished = false
  const onGone = (): void => {
    if (!finished) abort.abort(new Error('The client closed the stream.'))
  }
  stream.on('aborted', onGone)
  stream.on('close', onGone)
  stream.on('end', () => (state.receiving = false))
  let outgrown = false
  const withContent = state.receiving && isBodyless(head.method) && (await hasContent(stream))
  const answered = await serveSite(
    services.site,
    () => requestOf(slow, services, withContent, abort.signal, () => (outgrown = true)),
    {
      ...connection,
      protocol: 'HTTP/2.0',
      rawTarget: head.path,
      wholeFile: (told) => (file = told),
      earlyHints: (links) => sendEarlyHints(stream, links),
      trailers: (fields) => (trailers = fields),
    },
    log,
  )
  let { response } = answered
  if (outgrown) {
    // To the site it was a body that broke off.
    response.body?.cancel().catch(() => undefined)
    response = plainResponse(413, tooLarge(services.maxBodyBytes))
  }
  clock.update()
  state.progressMs = clock.nowMs
  let bodyBytes: number
  try {
    const how = {
      method: head.method,
      httpDate: clock.httpDate,
      state,
      nowMs: () => clock.nowMs,
      trailers: () => trailers,
    }
    const copied = file === null ? null : copiedResponse(response, how)
    const small = copied === null ? await sendSmallFile(stream, response, how) : null
    bodyBytes = small === null ? await sendResponse(stream, response, how) : small.body.length
    const whole = copied ?? small
    if (whole !== null && file !== null && response.status === 200 && head.isUnconditional) {
      const { hasBypassCookie } = head
      const asked = {
        host: slow.host,
        acceptEncoding: head.acceptEncoding,
        hasBypassCookie,
        query: queryOf(head.path),
      }
      services.files?.remember(asked, connection.secure, file, askedAtMs, whole)
    }
  } catch (error) {
    bodyBytes = sentBefore(error)
    // Rejected bodies were cancelled by the writer; one never begun is cancelled here.
    if (response.body?.locked === false) response.body.cancel().catch(() => undefined)
    if (!stream.destroyed && !stream.closed) {
      log.error('an answer broke off', {
        host: head.target,
        target: head.path,
        error: String(error),
      })
      state.closedByUs = true
      breakOff(stream)
    }
  }
  finished = true
  clock.update()
  state.progressMs = clock.nowMs
  if (state.receiving && !stream.destroyed && !stream.closed) {
    readAway(stream)
    state.closeAtMs = clock.nowMs + LINGER_MS
  }
  services.accessLog.record({
    address: connection.clientAddress,
    method: head.method,
    target: head.path,
    protocol: 'HTTP/2.0',
    status: response.status,
    bodyBytes,
    tail: who.tail,
    visitor: who.visitor,
    host: slow.host,
    cache: response.headers.get('x-cache'),
    durationMs: performance.now() - startedMs,
  })
}
