import { isNotModified } from './response.ts'

/** What a 304 does not say, because the client has it (RFC 9110, 15.4.5). */
const OF_THE_BODY = ['content-encoding', 'content-length', 'content-range', 'content-type']

/**
 * A complete response as it suits the conditions of the client's request, which the
 * origin was not told of: 304 where the client has that very version. A body that
 * is being stored is read to its end all the same.
 */
export const notModifiedBy = (response: Response, request: Request): Response => {
  if (response.status !== 200) return response
  const { headers } = response
  const version = { etag: headers.get('etag'), lastModified: headers.get('last-modified') }
  if (!isNotModified(version, request.headers)) return response
  response.body?.cancel().catch(() => undefined)
  const kept = new Headers(headers)
  for (const name of OF_THE_BODY) kept.delete(name)
  return new Response(null, { status: 304, headers: kept })
}
