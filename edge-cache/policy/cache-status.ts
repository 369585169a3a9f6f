import { withHeaders, withoutInternalHeaders } from '../entry/headers.ts'

/** Why a request went to the origin (RFC 9211, 2.2). */
export type Forwarded = 'bypass' | 'method' | 'uri-miss' | 'vary-miss' | 'stale' | 'request'

/**
 * The origin's response as the client gets it: without what is meant for the cache,
 * with `Cache-Status`, and, on cacheable paths, with `X-Cache: MISS`.
 */
export const originResponse = (
  response: Response,
  forwarded: Forwarded,
  detail: string | null,
  options: { xCache: boolean },
): Response => {
  // Not a plain HTTP response (101, network error): there is nothing to say about it.
  if (response.status < 200 || response.status > 599) return response
  const status = `berth; fwd=${forwarded}${detail === null ? '' : `; detail=${detail}`}`
  return withHeaders(withoutInternalHeaders(response), {
    'cache-status': status,
    ...(options.xCache ? { 'x-cache': 'MISS' } : {}),
  })
}

/** Why the page cache was passed by, as a response's `Cache-Status` says it; null: it was not. */
export const bypassOf = (cacheStatus: string): string | null =>
  /^berth; fwd=bypass; detail=([a-z-]+)$/.exec(cacheStatus)?.[1] ?? null

/** Response to HEAD made from one to GET: the body is given up. */
export const withoutBody = (response: Response): Response => {
  response.body?.cancel().catch(() => undefined)
  const { status, statusText, headers } = response
  return new Response(null, { status, statusText, headers })
}
