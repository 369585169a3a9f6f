import { responseFromEntry, type Answer } from '../entry/response.ts'
import { bodyPieces } from '../entry/body-pieces.ts'
import type { CacheEntry } from '../types.ts'

/** Statuses whose responses have no body. */
const BODILESS = new Set([204, 205])

/**
 * What a GET or HEAD gets from a stored response. Preconditions and ranges are
 * about successful responses only (RFC 9110, 13.2.1 and 14.2).
 */
export const httpResponse = (
  entry: CacheEntry,
  request: Request,
  nowMs: number,
  detail: string | null,
): Answer => {
  const told = {
    ...entry,
    // What is told of the time left is about freshness, not about how long it is kept.
    expiresAtMs: entry.http?.freshUntilMs ?? entry.expiresAtMs,
    // The origin chose the coding, and says by `Vary` for whom.
    coding: null,
    encodings: [],
  }
  if (entry.status === 200) return responseFromEntry(told, request, nowMs, detail)
  const plain = new Request(request.url, { method: request.method })
  const { response } = responseFromEntry(told, plain, nowMs, detail)
  const { headers } = response
  const bodiless = BODILESS.has(entry.status)
  if (bodiless) headers.delete('content-length')
  const body = bodiless || request.method === 'HEAD' ? null : entry.body
  return {
    response: new Response(body && bodyPieces(body), { status: entry.status, headers }),
    bytes: body?.byteLength ?? 0,
  }
}
