import type { AskOrigin } from '#edge-cache/index.ts'
import type { EdgeSite } from './edge-site.ts'

/** The origin gave no answer: 502, or 504 where it took too long; 413 where the visitor sent too much. */
export class NoAnswer extends Error {
  readonly status: 413 | 502 | 504

  constructor(status: 413 | 502 | 504, cause?: unknown) {
    super(`no answer of the origin (${status})`, { cause })
    this.status = status
  }
}

/** Who asks, and under which name. */
export interface OriginCall {
  site: EdgeSite
  /** Requested name, one of the site's. */
  host: string
  secure: boolean
  clientAddress: string
  /** Sends the request: `fetch`, or the binding of `via`. */
  send(request: Request): Promise<Response>
}

/** Fields of one connection (RFC 9110, 7.6.1), and what the runtime says by itself. */
const OF_THE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'host'],
]

/** Codings that the runtime undoes while a body is read, but leaves in the fields. */
const DECODED = new Set(['gzip', 'br'])

/** Whether the request asks for a WebSocket. */
export const isWebSocket = (request: Request): boolean =>
  request.method === 'GET' && request.headers.get('upgrade')?.toLowerCase() === 'websocket'

/** By this name an origin that leads back here is noticed (RFC 9110, 7.6.3). */
export const viaOf = ({ domain }: EdgeSite): string => `1.1 berth-edge.${domain}`

const withoutConnection = (headers: Headers): Headers => {
  const kept = new Headers(headers)
  const named = (headers.get('connection') ?? '').split(',').map((one) => one.trim())
  for (const name of [...OF_THE_CONNECTION, ...named])
    // What is no name of a field is no field either.
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) kept.delete(name)
  return kept
}

/** The same body, which fails once more than `maxBytes` of it came. */
const bounded = (
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  onTooLarge: () => void,
): ReadableStream<Uint8Array> => {
  let sizeBytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sizeBytes += chunk.byteLength
        if (sizeBytes <= maxBytes) return controller.enqueue(chunk)
        onTooLarge()
        controller.error(new Error('the body is too large'))
      },
    }),
  )
}

/** The response as its bytes come out: what the runtime decodes is not called coded any more. */
const asRead = (response: Response): Response => {
  const coding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (!DECODED.has(coding) || response.body === null) return response
  const headers = new Headers(response.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  const etag = headers.get('etag')
  // Of other bytes than those that leave (RFC 9110, 8.8.1).
  if (etag !== null && !etag.startsWith('W/')) headers.set('etag', `W/${etag}`)
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}

/**
 * Passes requests on to a site's origin. Where to is the configuration's alone: of the request
 * come path and query, behind an origin that ends in its port. What visitors claim of proxies
 * was taken away before; what is said here is what the runtime knows.
 */
export const createAskOrigin = (call: OriginCall): AskOrigin => {
  const { site, host, secure, clientAddress } = call
  const { maxBodyBytes } = site

  return async (asked, as = 'visitor') => {
    const { pathname, search } = new URL(asked.url)
    const headers = withoutConnection(asked.headers)
    const upgrades = isWebSocket(asked)
    if (upgrades) headers.set('upgrade', 'websocket')
    headers.set('accept-encoding', 'identity')
    headers.set('via', viaOf(site))
    headers.set('x-forwarded-host', host)
    headers.set('x-forwarded-proto', secure ? 'https' : 'http')
    if (as === 'visitor' && clientAddress !== '') headers.set('x-forwarded-for', clientAddress)

    const late = new AbortController()
    let isTooLarge = false
    const tooLarge = (): void => {
      isTooLarge = true
      // A body that only fails may reach the origin as one that ends.
      late.abort()
    }
    const declared = Number(asked.headers.get('content-length') ?? 0)
    if (maxBodyBytes !== null && declared > maxBodyBytes) throw new NoAnswer(413)
    const body =
      asked.body === null || maxBodyBytes === null
        ? asked.body
        : bounded(asked.body, maxBodyBytes, tooLarge)
    const timer = setTimeout(() => late.abort(), site.timeoutMs)
    try {
      const request = new Request(`${site.origin ?? ''}${pathname}${search}`, {
        method: asked.method,
        headers,
        body,
        redirect: 'manual',
        signal: late.signal,
      })
      const response = await call.send(request)
      if (isTooLarge) {
        response.body?.cancel().catch(() => undefined)
        throw new NoAnswer(413)
      }
      return upgrades ? response : asRead(response)
    } catch (error) {
      throw new NoAnswer(isTooLarge ? 413 : late.signal.aborted ? 504 : 502, error)
    } finally {
      clearTimeout(timer)
    }
  }
}
