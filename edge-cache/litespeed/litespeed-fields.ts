/** By these a response of a site makes its stored pages new; they never reach the client. */
export const PURGE_FIELDS = ['x-cache-purge', 'x-litespeed-purge', 'x-litespeed-purge2'] as const

/** The one of them that is our own: `only,` at its beginning says that it names all that a request changed. */
export const OWN_PURGE_FIELD = 'x-cache-purge'

const ONLY = /^\s*only(?=[\s,]|$)[\s,]*/i

/**
 * A purge field of our own without `only`, and whether that stood there: what is known of
 * the application must then not make more new than the field names.
 */
export const readOnly = (text: string): { text: string; only: boolean } => {
  const rest = text.replace(ONLY, '')
  return { text: rest, only: rest !== text }
}

/** A cookie that the client gets with a page from the cache as well, written as in `Set-Cookie`. */
export const LSC_COOKIE = 'lsc-cookie'

/** What tells a plugin's crawler whether a page came from the cache. */
export const LITESPEED_CACHE = 'x-litespeed-cache'

/** Tells the page cache which variant of a page the response is, or what it depends on. */
export const LITESPEED_VARY = 'x-litespeed-vary'

const PREFIX = 'x-litespeed-'

/** Whether a field is a word between an application and its page cache, which no client gets. */
export const isPluginField = (name: string): boolean =>
  (name.startsWith(PREFIX) && name !== LITESPEED_CACHE) ||
  name === LSC_COOKIE ||
  name === OWN_PURGE_FIELD

/** Fields of a request by which only a front server may speak to an application. */
const FRONT_SERVER = new Set(['x-lscache', 'x-litemage', 'x-lscache-vary-value', 'esi-referer'])

/** Whether a client's field would be taken for the word of a front server; `name` is lower case. */
export const isFrontServerField = (name: string): boolean =>
  FRONT_SERVER.has(name) || name.startsWith(PREFIX)

const NAME_CHARACTER = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/

/** Whether a cookie's name and its `=` stand at `at`. */
const beginsCookie = (text: string, at: number): boolean => {
  let end = at
  while (end < text.length && NAME_CHARACTER.test(text[end] as string)) end++
  return end > at && text[end] === '='
}

/**
 * Cookies of several lines of one field that were joined by commas. A comma inside a
 * date (`Expires=Wed, 21 Oct …`) parts nothing, since no name and `=` follow it.
 * Linear: what is looked at behind one comma ends before the next.
 */
export const splitCookies = (joined: string): string[] => {
  const cookies: string[] = []
  let start = 0
  for (let comma = joined.indexOf(','); comma !== -1; comma = joined.indexOf(',', comma + 1)) {
    let next = comma + 1
    while (joined[next] === ' ' || joined[next] === '\t') next++
    if (!beginsCookie(joined, next)) continue
    cookies.push(joined.slice(start, comma).trim())
    start = next
  }
  cookies.push(joined.slice(start).trim())
  return cookies.filter((cookie) => beginsCookie(cookie, 0))
}

/** The name of a cookie as `Set-Cookie` has it. */
export const nameOfCookie = (cookie: string): string => (cookie.split('=', 1)[0] ?? '').trim()
