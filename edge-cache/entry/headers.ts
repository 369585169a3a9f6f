import { LITESPEED_CONTROL } from '../fields/cache-control.ts'
import { LITESPEED_CACHE, LSC_COOKIE, splitCookies } from '../litespeed/litespeed-fields.ts'
import { NO_CODING_HEADER } from '../fields/no-coding-header.ts'
import { TAG_HEADERS } from '../purge/tags.ts'
import { REVALIDATE_HEADER } from '../fields/revalidate-header.ts'
import { SCRIPT_HEADER } from '../fields/script-header.ts'

/** Headers of one connection only (RFC 9110, 7.6.1), and those that are rebuilt for each response. */
const NOT_STORED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'age',
  'cache-status',
  'content-length',
  'date',
  'set-cookie',
  'x-cache',
  REVALIDATE_HEADER,
  SCRIPT_HEADER,
  NO_CODING_HEADER,
  LITESPEED_CONTROL,
  LITESPEED_CACHE,
  LSC_COOKIE,
  ...TAG_HEADERS,
])

/**
 * What pages of an application that speaks to a LiteSpeed cache have beside their own
 * fields: the cookies that it wants every visitor to get, and the word that crawlers read.
 */
const pluginHeaders = (headers: Headers): (readonly [string, string])[] => [
  ...(headers.has(LITESPEED_CONTROL) || headers.has('x-litespeed-tag')
    ? [[LITESPEED_CACHE, 'hit'] as const]
    : []),
  ...splitCookies(headers.get(LSC_COOKIE) ?? '').map((cookie) => ['set-cookie', cookie] as const),
]

/** End-to-end headers of a response in order, lower-case names; what `Connection` names is left out too. */
export const endToEndHeaders = (headers: Headers): (readonly [string, string])[] => {
  const named = new Set(
    (headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase()),
  )
  const own = [...headers].filter(([name]) => !NOT_STORED.has(name) && !named.has(name))
  return [...own, ...pluginHeaders(headers)]
}

/**
 * The response with headers set (a string) or removed (null). Changed in place
 * where the runtime allows it, so that nothing else of the response is lost.
 */
export const withHeaders = (
  response: Response,
  changes: Readonly<Record<string, string | null>>,
): Response => {
  const apply = (headers: Headers): void => {
    for (const [name, value] of Object.entries(changes)) {
      if (value !== null) headers.set(name, value)
      else if (headers.has(name)) headers.delete(name)
    }
  }
  try {
    apply(response.headers)
    return response
  } catch {
    // Immutable headers, as of Response.redirect() and fetch().
    const headers = new Headers(response.headers)
    apply(headers)
    const { status, statusText } = response
    return new Response(response.body, { status, statusText, headers })
  }
}

const INTERNAL_NAMES: readonly string[] = [
  ...TAG_HEADERS,
  REVALIDATE_HEADER,
  SCRIPT_HEADER,
  NO_CODING_HEADER,
  LITESPEED_CONTROL,
]
const INTERNAL_HEADERS: Record<string, null> = Object.fromEntries(
  INTERNAL_NAMES.map((name) => [name, null]),
)

/** Takes away what is meant for the cache alone. */
export const withoutInternalHeaders = (response: Response): Response => {
  const { headers } = response
  for (const name of INTERNAL_NAMES)
    if (headers.has(name)) return withHeaders(response, INTERNAL_HEADERS)
  return response
}
