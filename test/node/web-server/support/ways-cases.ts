import type { PageRequest } from './ways.ts'

export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148 Safari/604.1'

/** A request for the page that is in the cache. */
export const page = (
  fields: Record<string, string> = {},
  more: Partial<PageRequest> = {},
): PageRequest => ({
  host: 'a.test',
  path: '/page',
  fields,
  ...more,
})

/** Requests that the fast path must answer from a stored page. */
export const HITS: [name: string, asked: PageRequest][] = [
  ['GET', page()],
  ['HEAD', page({}, { method: 'HEAD' })],
  ['another spelling of the host', page({}, { host: 'A.Test:8080' })],
  ['an alias', page({}, { host: 'www.a.test' })],
  ['gzip', page({ 'accept-encoding': 'gzip' })],
  ['gzip, HEAD', page({ 'accept-encoding': 'gzip' }, { method: 'HEAD' })],
  ['brotli', page({ 'accept-encoding': 'gzip, deflate, br, zstd' })],
  ['codings with weights', page({ 'accept-encoding': 'br;q=0.2, gzip;q=0.8' })],
  ['codings that are refused', page({ 'accept-encoding': 'br;q=0, gzip;q=0' })],
  ['any coding', page({ 'accept-encoding': '*' })],
  ['If-None-Match', page({ 'if-none-match': '"v1"' })],
  ['If-None-Match, weak', page({ 'if-none-match': 'W/"v1"' })],
  ['If-None-Match, gzip', page({ 'if-none-match': '"v1"', 'accept-encoding': 'gzip' })],
  ['If-None-Match, HEAD', page({ 'if-none-match': '"v1"' }, { method: 'HEAD' })],
  ['a weak tag', page({ 'if-none-match': 'W/"w"' }, { path: '/weak' })],
  ['a harmless cookie', page({ cookie: '_ga=1; theme=dark' })],
  ["a cookie on nobody's list", page({ cookie: 'PHPSESSID=x' }, { host: 'b.test' })],
  ['Accept of a browser', page({ accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' })],
  ['a phone', page({ 'user-agent': PHONE }, { host: 'm.test' })],
  ['no phone', page({ 'user-agent': 'curl/8' }, { host: 'm.test' })],
  ['a phone where all get the same', page({ 'user-agent': 'curl/8' })],
]

/** Requests whose answer may come from anywhere, but must be the same. */
export const OTHERS: [name: string, asked: PageRequest][] = [
  ['no coding at all', page({ 'accept-encoding': 'identity;q=0' })],
  ['If-None-Match of another page', page({ 'if-none-match': '"other"' })],
  ['If-None-Match, a list', page({ 'if-none-match': '"x", W/"v1"' })],
  ['If-None-Match, any', page({ 'if-none-match': '*' })],
  ['a range', page({ range: 'bytes=0-9' })],
  ['a range beyond the end', page({ range: 'bytes=99999-' })],
  ['a session', page({ cookie: 'a=b; PHPSESSID=x' })],
  ['a cookie on the list', page({ cookie: 'mine=x' }, { host: 'b.test' })],
  ['a login', page({ authorization: 'Basic eDp5' })],
  ['data at the address of a page', page({ accept: 'application/json' })],
  ['a fragment', page({ 'x-requested-with': 'XMLHttpRequest' })],
  ['no-cache of a client', page({ 'cache-control': 'no-cache' })],
  ['two User-Agents', page({ 'user-agent': `curl/8, ${PHONE}` }, { host: 'm.test' })],
  ['a query', page({}, { path: '/page?x=1' })],
  ['a query that means nothing', page({}, { path: '/page?utm_source=x' })],
  ['an escaped path', page({}, { path: '/%70age' })],
  ['a path with dots', page({}, { path: '/x/../page' })],
  ['a path that climbs', page({}, { path: '/../page' })],
  ['a path with two slashes', page({}, { path: '//page' })],
  ['a private page', page({}, { path: '/private' })],
  ['a page that is not to be stored', page({}, { path: '/no-store' })],
  ['a page with cookies', page({}, { path: '/cookie' })],
  ['a page that varies', page({ 'accept-language': 'de' }, { path: '/vary' })],
  ['no page', page({}, { path: '/data' })],
  ['a page that is gone', page({}, { path: '/gone' })],
  ['an excluded path', page({}, { host: 'e.test' })],
  ['a path under an exclusion', page({}, { host: 'e.test', path: '/x/y' })],
  ['a site without a cache', page({}, { host: 'n.test' })],
  ['a suspended site', page({}, { host: 's.test' })],
  ['a site over its quota', page({}, { host: 'o.test' })],
  ['a site that wants https', page({}, { host: 'r.test' })],
  ["nobody's host", page({}, { host: 'u.test' })],
  ['a file', page({}, { host: 'f.test', path: '/' })],
  ['a file, HEAD', page({}, { host: 'f.test', path: '/', method: 'HEAD' })],
  ['a file, gzip', page({ 'accept-encoding': 'gzip' }, { host: 'f.test', path: '/' })],
  ['no file', page({}, { host: 'f.test', path: '/none' })],
]
