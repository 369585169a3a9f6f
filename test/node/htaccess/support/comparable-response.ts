import type { SiteResponse } from '#test/support/instance-types.ts'

/** Fields whose value must be the same; all that begin with `x-` besides. */
const COMPARED = new Set([
  'access-control-allow-origin',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-security-policy',
  'content-type',
  'link',
  'permissions-policy',
  'pragma',
  'referrer-policy',
  'retry-after',
  'set-cookie',
  'strict-transport-security',
  'www-authenticate',
])
/** A clock is read once by each server. */
const TOLERANCE_SECS = 5

export interface ComparableResponse {
  status: number
  /** Absolute: `/a`, `//x.test/a` and `http://x.test/a` lead to the same place. */
  location: string | null
  fields: Record<string, string>
  /** Seconds from the answer's own date; null without `Expires`. */
  expiresInSecs: number | 'past' | null
  body: string
}

/** Escapes in capitals: both spellings are one (RFC 3986, 6.2.2.1). */
const withCapitalEscapes = (text: string): string =>
  text.replace(/%(?:25)*[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())

/** Names in a directory, where a page shows those: each server has a page of its own. */
const listedNames = (text: string): string | null => {
  if (!/<title>Index of /.test(text)) return null
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
  const names = links.filter((link) => !/^[?/]|^\.\.\/$/.test(link))
  return `names: ${names
    .map((name) => decodeURIComponent(name.replace(/^\.\//, '').replaceAll('&amp;', '&')))
    .sort()
    .join(' ')}`
}

/** Both servers show words of their own where a site has none. */
const bodyOf = ({ status, text }: SiteResponse): string => {
  if (status >= 300 && status < 400) return '(words of the server)'
  const names = listedNames(text)
  if (names !== null) return names
  const apache = text.startsWith('<!DOCTYPE HTML PUBLIC "-//')
  const berth = text.includes(`<p><small>${status}</small></p>`)
  return apache || berth ? '(words of the server)' : text
}

/** A moment as its distance from the answer's own. */
const cookieOf = (value: string, date: string | undefined): string =>
  value.replace(/expires=([^;]+)/i, (_, expires: string) => {
    const secs = (Date.parse(expires.replaceAll('-', ' ')) - Date.parse(date ?? '')) / 1000
    return `expires in ${Math.round(secs / TOLERANCE_SECS) * TOLERANCE_SECS} s`
  })

/** Texts of errors are Latin-1 at Apache, whatever the site says, and UTF-8 here. */
const typeOf = (value: string, status: number): string => {
  const type = value.toLowerCase().replace(/;\s*/, '; ')
  const isText = status >= 400 && /^text\/html; charset=(?:iso-8859-1|utf-8)$/.test(type)
  return isText ? 'text/html' : type
}

const fieldOf = (name: string, value: string, { headers, status }: SiteResponse): string => {
  if (name === 'set-cookie') return cookieOf(value, headers['date'])
  return name === 'content-type' ? typeOf(value, status) : value
}

const expiresIn = (headers: Record<string, string>): ComparableResponse['expiresInSecs'] => {
  const expires = headers['expires']
  if (expires === undefined) return null
  const at = Date.parse(expires)
  const nowMs = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(at) || at < nowMs - 86_400_000 * 365) return 'past'
  // Without a sign: a second ago is now, and -0 would not equal 0.
  return Math.round((at - nowMs) / 1000 / TOLERANCE_SECS) * TOLERANCE_SECS + 0
}

/** What of an answer a visitor or a browser acts upon. */
export const comparableResponse = (answer: SiteResponse, url: string): ComparableResponse => {
  const { headers, status } = answer
  const location = headers['location']
  const body = bodyOf(answer)
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!COMPARED.has(name) && !name.startsWith('x-')) continue
    if (name === 'content-type' && body === '(words of the server)') continue
    // The page cache of Berth adds its own.
    if (name === 'x-cache') continue
    // A page of names is UTF-8 here whatever the site says, and takes nothing from elsewhere.
    if (body.startsWith('names: ') && /^content-(?:type|security-policy)$/.test(name)) continue
    fields[name] = fieldOf(name, value, answer)
  }
  return {
    status,
    location: location === undefined ? null : withCapitalEscapes(new URL(location, url).href),
    fields,
    expiresInSecs: expiresIn(headers),
    body: withCapitalEscapes(body),
  }
}
