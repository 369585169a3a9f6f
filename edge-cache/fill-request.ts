import { hasTellingCookie } from './cookies.ts'

/** Headers that pages are made from and that every browser sends. `sec-*` belongs to them. */
const KEPT = new Set([
  'host',
  'user-agent',
  'accept',
  'accept-language',
  'referer',
  'dnt',
  'save-data',
  'priority',
  'upgrade-insecure-requests',
])

/** Dropped without consequence for what the origin answers. */
const IMMATERIAL = new Set([
  'accept-encoding',
  'cache-control',
  'connection',
  'content-length',
  'keep-alive',
  'pragma',
  'proxy-connection',
  'te',
])

export interface FillRequest {
  request: Request
  /**
   * Whether something was left out that the origin may have needed: an answer
   * that cannot be shared must then be asked for again, with the client's request.
   */
  reduced: boolean
}

/**
 * The request that fills a shared page: GET, without cookies and without any
 * header that a client could add to shape what others see (X-Forwarded-Host and
 * the like), uncompressed, and not bound to the client's connection, so that a
 * visitor who leaves does not break the fill for those who wait. `conditions` are
 * the validators of an entry that is looked after.
 */
export const fillRequest = (
  request: Request,
  conditions: Readonly<Record<string, string>> = {},
): FillRequest => {
  const headers = new Headers()
  let reduced = false
  for (const [name, value] of request.headers) {
    if (KEPT.has(name) || name.startsWith('sec-')) headers.append(name, value)
    else if (name === 'cookie') reduced ||= hasTellingCookie(value)
    else if (!IMMATERIAL.has(name)) reduced = true
  }
  for (const [name, value] of Object.entries(conditions)) headers.set(name, value)
  return { request: new Request(request.url, { method: 'GET', headers }), reduced }
}
