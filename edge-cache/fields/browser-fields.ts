/**
 * Fields that browsers, feed readers and well-behaved robots send when they ask for
 * a page. What is missing here is a request that somebody made by hand or by
 * script: it may be answered from the cache, but its response is nobody else's.
 */
const BROWSER_FIELDS = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'alt-used',
  'cache-control',
  'connection',
  'content-length',
  'cookie',
  'device-memory',
  'dnt',
  'downlink',
  'dpr',
  'early-data',
  'ect',
  'from',
  'host',
  'keep-alive',
  'pragma',
  'priority',
  'proxy-connection',
  'purpose',
  'referer',
  'rtt',
  'save-data',
  'te',
  'upgrade-insecure-requests',
  'user-agent',
  'viewport-width',
  'width',
  'x-moz',
  'x-purpose',
  'x-requested-with',
])

/** Client hints and metadata of the request, which only browsers can set. */
const BROWSER_PREFIXES = ['sec-fetch-', 'sec-ch-', 'sec-purpose', 'sec-gpc']

/** About the transfer, or what the client has already: taken off before a response for everybody is asked for. */
const TAKEN_OFF = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'keep-alive',
  'proxy-connection',
  'te',
])

/** Whether a field is about the transfer alone; `name` is lower case. */
export const isTakenOff = (name: string): boolean => TAKEN_OFF.has(name)

/** Whether a field is one that ordinary requests have; names are lower case. */
export const isOrdinaryField = (name: string): boolean =>
  BROWSER_FIELDS.has(name) ||
  TAKEN_OFF.has(name) ||
  BROWSER_PREFIXES.some((prefix) => name.startsWith(prefix))

/**
 * Values that say nothing of who asks, because a field has but these few. Fields in
 * which few people state a wish (`DNT`, `Sec-GPC`, `Save-Data`) are not among them.
 */
const USUAL_VALUES: Readonly<Record<string, readonly string[]>> = {
  accept: ['*/*', 'text/html'],
  'accept-language': ['*'],
  'cache-control': ['no-cache', 'max-age=0', 'no-store', 'no-cache, no-store'],
  pragma: ['no-cache'],
  priority: ['i', 'u=0', 'u=0, i', 'u=0,i', 'u=1', 'u=1, i', 'u=2', 'u=3', 'u=4', 'u=4, i', 'u=5'],
  purpose: ['prefetch'],
  'sec-ch-ua-mobile': ['?0', '?1'],
  'sec-ch-ua-platform': [
    '"Windows"',
    '"macOS"',
    '"Linux"',
    '"Android"',
    '"iOS"',
    '"Chrome OS"',
    '"Chromium OS"',
  ],
  'sec-fetch-dest': ['document', 'iframe', 'frame', 'empty', 'image', 'style', 'script', 'font'],
  'sec-fetch-mode': ['navigate', 'nested-navigate', 'cors', 'no-cors', 'same-origin'],
  'sec-fetch-site': ['none', 'same-origin', 'same-site', 'cross-site'],
  'sec-fetch-user': ['?1', '?0'],
  'sec-purpose': ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'],
  'upgrade-insecure-requests': ['1'],
  'x-moz': ['prefetch'],
  'x-forwarded-port': ['80', '443'],
  'x-forwarded-proto': ['http', 'https'],
  'x-purpose': ['preview', 'prefetch'],
}

/** Whether a value is one that everybody's browser sends, so that a page showing it shows nobody. */
export const isUsualValue = (name: string, value: string): boolean =>
  name === 'host' || isTakenOff(name) || USUAL_VALUES[name]?.includes(value) === true
