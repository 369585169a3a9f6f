/**
 * Headers that say how a message is framed, what it is, or who may keep it: set on every
 * response they would break answers, or let a page of one visitor be kept for all.
 */
const NOT_YOURS = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'te', 'trailer'],
  ...['upgrade', 'content-length', 'content-encoding', 'content-range', 'content-type', 'date'],
  ...['server', 'set-cookie', 'set-cookie2', 'location', 'www-authenticate', 'status', 'vary'],
  ...['cache-control', 'expires', 'pragma', 'age', 'etag', 'last-modified', 'accept-ranges'],
  ...['cache-status', 'cache-tag', 'surrogate-control', 'surrogate-key', 'cdn-cache-control'],
  ...['proxy-authenticate', 'authorization', 'retry-after', 'allow', 'link', 'refresh'],
  ...['alt-svc', 'clear-site-data', 'strict-transport-security', 'early-data', 'warning'],
])
const NOT_YOURS_FAMILY = /^(?:x-litespeed-|x-lsadc-|x-accel-|x-berth-|x-magento-|cf-|proxy-|sec-)/

/** Why a header may not be set on every response of a site; null: it may. */
export const headerNameProblem = (name: string): string | null => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return 'is not a header name.'
  const lower = name.toLowerCase()
  if (lower === 'strict-transport-security') return 'is set by the switch hsts of the domain.'
  if (NOT_YOURS.has(lower) || NOT_YOURS_FAMILY.test(lower))
    return 'belongs to the server, which says it of each response by itself.'
  return null
}
