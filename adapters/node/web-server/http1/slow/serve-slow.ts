import type { Socket } from 'node:net'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { SiteContext, WholeFile } from '#handlers/sites/site-context.ts'
import type { Visitor } from '../../figures/visitor.ts'
import { sourceOf } from '../../files/file-source.ts'
import type { Field } from '../../../messages/quick-headers.ts'
import { wholeBodyOf } from '../../../messages/quick-response.ts'
import { responseOfFailure } from './serve-site.ts'
import { buildRequest } from './build-request.ts'
import type { ConnectionServices } from '../connection-services.ts'
import { earlyHintsHead } from './early-hints-head.ts'
import { queryOf } from '../fast/file-fast-path.ts'
import type { FastRequest } from '../fast/fast-path.ts'
import { drained, sentBefore } from '../write/pump-body.ts'
import type { ConnectionFacts } from './site-context-of.ts'
import { planResponse } from '../write/response-head.ts'
import { copiedResponse, wholeResponse, writeFile } from '../write/write-file.ts'
import { writeResponse, type Trailers } from '../general/write-response.ts'

/** A request that the strict parser accepted and the cache's first layer could not answer. */
export interface SlowRequest {
  method: 'GET' | 'HEAD'
  rawTarget: string
  /** The Host field as sent. */
  host: string
  /** The name it asks for: lower case, without port; empty when it is none. */
  siteName: string
  /** See `RequestReader.fields`. */
  fields: readonly Field[]
  /** The client wants the connection closed afterwards. */
  close: boolean
  /** See `logTail`. */
  tail: string
  /** For figures. */
  visitor: Visitor
  /** Aborted when the client goes; made when it is asked for. */
  signal: () => AbortSignal
  /** What the fast path must know of it; null when it is no plain request without conditions. */
  facts: Pick<FastRequest, 'host' | 'hasBypassCookie' | 'acceptEncoding'> | null
}

/** Lets the response be given again to who asks for other things that are not there; answers one with the same body. */
const keepNothing = async (
  response: Response,
  vhost: VirtualHostConfig,
  secure: boolean,
  { facts, rawTarget }: SlowRequest,
  askedAtMs: number,
  { nothing, clock }: ConnectionServices,
): Promise<Response> => {
  if (nothing === null || facts === null) return response
  const request = { ...facts, query: queryOf(rawTarget) }
  if (!nothing.wants(request, secure, vhost)) return response
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('content-length', String(body.length))
  const whole = new Response(body, { status: response.status, headers })
  const { fields } = wholeResponse(planResponse(whole, 'GET', clock.httpDate), whole, body)
  nothing.remember(request, secure, vhost, askedAtMs, { fields, body })
  return whole
}

/**
 * Asks the site handler and writes its response. Resolves with whether the
 * connection must end; a broken answer destroys the socket, so that the client
 * sees the truncation.
 */
export const serveSlow = async (
  socket: Socket,
  facts: ConnectionFacts,
  services: ConnectionServices,
  request: SlowRequest,
): Promise<boolean> => {
  const { clock, log } = services
  const { method, rawTarget, host } = request
  const startedMs = performance.now()
  const askedAtMs = clock.nowMs
  let file: WholeFile | null = null
  let nothing: VirtualHostConfig | null = null
  let trailers: Trailers | null = null
  const context: SiteContext = {
    ...facts,
    protocol: 'HTTP/1.1',
    rawTarget,
    wholeFile: (told) => (file = told),
    nothingThere: (told) => (nothing = told),
    trailers: (fields) => (trailers = fields),
    earlyHints: (links) => {
      if (!socket.destroyed) socket.write(earlyHintsHead(links), 'latin1')
    },
  }
  let response: Response
  let refused = false
  try {
    response = await services.site(buildRequest(facts.secure, request), context)
  } catch (error) {
    ;({ response, refused } = responseOfFailure(error, rawTarget, log))
  }
  clock.update()
  const close = request.close || refused || services.draining()
  let bodyBytes: number
  try {
    if (socket.destroyed) throw new Error('The client closed the connection.')
    const how = { method, httpDate: clock.httpDate, close, trailers: () => trailers }
    if (nothing !== null && response.status === 404 && method === 'GET')
      response = await keepNothing(response, nothing, facts.secure, request, askedAtMs, services)
    const source = wholeBodyOf(response) === null ? sourceOf(response.body) : null
    const sent = source === null ? null : await writeFile(socket, response, source, how)
    let written = sent ?? writeResponse(socket, response, how)
    if (written instanceof Promise) written = await written
    bodyBytes = written.bodyBytes
    const { facts: asked } = request
    if (file !== null && asked !== null && response.status === 200) {
      const query = queryOf(rawTarget)
      const whole = sent === null ? copiedResponse(response, how) : sent.whole
      if (whole !== null)
        services.files?.remember({ ...asked, query }, facts.secure, file, askedAtMs, whole)
    }
    if (socket.writableNeedDrain) await drained(socket)
  } catch (error) {
    bodyBytes = sentBefore(error)
    // Rejected bodies were cancelled by the writer; one never begun is cancelled here.
    if (response.body?.locked === false) response.body.cancel().catch(() => undefined)
    if (!socket.destroyed) {
      log.error('an answer broke off', { host, target: rawTarget, error: String(error) })
    }
    socket.destroy()
  }
  clock.update()
  services.accessLog.record({
    address: facts.clientAddress,
    method,
    target: rawTarget,
    protocol: 'HTTP/1.1',
    status: response.status,
    bodyBytes,
    tail: request.tail,
    visitor: request.visitor,
    host: request.siteName,
    cache: response.headers.get('x-cache'),
    durationMs: performance.now() - startedMs,
  })
  return close
}
