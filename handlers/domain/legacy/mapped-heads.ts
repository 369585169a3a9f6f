import { escapePattern, quoted } from './rule-lines.ts'

/** What is told of a statement that only says what Berth does by itself. */
export const LEADS_BACK =
  'Redirects to the application’s own address are given back as visitors reach it.'
/** The same of paths of cookies. */
export const COOKIES_BACK =
  'Paths of cookies are given back where replace_prefix says that the application has another path.'

/** Of a header that sends visitors to HTTP/3, where nobody would answer them. */
export const NO_HTTP3 = 'Berth speaks HTTP/1.1 and HTTP/2, and tells visitors of nothing else.'
/** Whether a header is that one. */
export const isAltSvc = (name: string): boolean => /^alt-svc:?$/i.test(name)

/** Whether a text stands for itself behind a pattern: `$1` would be a part of what was found. */
export const isPlainReplacement = (text: string): boolean => !/[$\r\n\0]/.test(text)

/** Redirects whose address matches a pattern begin otherwise. */
export const redirectLine = (pattern: string, to: string): string =>
  `Header edit Location ${quoted(pattern)} ${quoted(to)}`

/**
 * Cookies whose path begins with one text get another one there, and whatever that says besides;
 * `isWhole`: in place of the whole path.
 */
export const cookiePathLine = (from: string, to: string, { isWhole = false } = {}): string => {
  const pattern = `(;[ ]*[Pp][Aa][Tt][Hh]=)${escapePattern(from)}${isWhole ? '[^;]*' : ''}`
  return `Header edit Set-Cookie ${quoted(pattern)} ${quoted(`$1${to}`)}`
}
