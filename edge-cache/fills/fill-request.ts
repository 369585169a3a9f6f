import { isOrdinaryField, isTakenOff } from '../fields/browser-fields.ts'
import { ownReferer } from './chosen-values.ts'
import { fillCookies } from '../cookies/bypass-cookies.ts'
import { neutralUserAgent } from '../address/device-class.ts'
import { withoutQuery } from '../address/ignorable-query.ts'
import { isForwardingField } from '../fields/forwarding-fields.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import type { PageVariant } from '../address/key.ts'
import { chosenTexts, type ChosenTexts } from './reflection.ts'

/**
 * What a visitor's own request is worth to others.
 * - `ordinary`: its response may be stored where it does not show what the visitor chose.
 * - `unfit`: its response tells whether the address has a page for everybody; that
 *   page has to be asked for with a neutral request.
 * - `odd`: made by hand or by script; nothing follows from its response.
 */
export type Fitness = 'ordinary' | 'unfit' | 'odd'

const NOTHING: ChosenTexts = { isUndecidable: false, texts: [], exact: [] }
const nothing = (): ChosenTexts => NOTHING

const PAGE_TYPES = ['text/html', 'application/xhtml+xml', 'text/*', '*/*']
const PAGE_DESTINATIONS = new Set(['document', 'iframe', 'frame'])

/**
 * Whether the request is one for the page itself, as browsers and robots make it: a
 * script's own (`fetch`) may get a fragment or data at the same address.
 */
const wantsPage = (headers: Headers, { rule }: Pick<PageCacheContext, 'rule'>): boolean => {
  const destination = headers.get('sec-fetch-dest')
  if (destination !== null && !PAGE_DESTINATIONS.has(destination)) return false
  const accept = headers.get('accept')
  if (accept === null) return true
  const first = (accept.split(/[,;]/, 1)[0] ?? '').trim().toLowerCase()
  return PAGE_TYPES.includes(first) || rule.content_types.includes(first)
}

/** Judges a request for a page; a query of its own it has none, or one that no page depends on. */
export const judgeFill = (
  request: Request,
  context: Pick<PageCacheContext, 'host' | 'clientAddress' | 'isTrustedProxy' | 'rule' | 'learned'>,
): { fitness: Fitness; chosen: () => ChosenTexts } => {
  const { headers, method } = request
  const odd = { fitness: 'odd', chosen: nothing } as const
  if (method !== 'GET') return odd
  if (!wantsPage(headers, context)) return odd
  let cookies: ReturnType<typeof fillCookies> = 'none'
  for (const [name, value] of headers) {
    const isOrdinary = isOrdinaryField(name) || (context.isTrustedProxy && isForwardingField(name))
    if (!isOrdinary) return odd
    if (name === 'cookie') cookies = fillCookies(value, context.learned)
  }
  // Where the owner named the cookies that count, the others are preferences.
  const isTelling = cookies === 'telling'
  if (isTelling && context.rule.bypass_cookies === null) return odd
  const isShaped = isTelling || cookies === 'shaping'
  let texts: ChosenTexts | null = null
  // Of use only where the response may be stored at all, which most scripts' may not.
  const chosen = (): ChosenTexts => (texts ??= chosenTexts(headers, context))
  return { fitness: isShaped ? 'unfit' : 'ordinary', chosen }
}

/** About the connection alone, and no application's affair. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection'])

/** Whether there is nothing to take off or to change, so that it can be sent as it came. */
const isAsAsked = (request: Request): boolean => {
  if (request.method !== 'GET' || request.url.includes('?')) return false
  for (const [name] of request.headers) {
    if (name === 'referer' || (isTakenOff(name) && !OF_THE_CONNECTION.has(name))) return false
  }
  return true
}

/**
 * The visitor's own request as its response may be everybody's: whole, in no coding,
 * without a query that no page depends on, of a Referer of the same site no more
 * than that, and not bound to the client's connection (without `signal`), so that a
 * visitor who leaves does not break the fill for those who wait.
 */
export const visitorRequest = (request: Request, signal?: AbortSignal): Request => {
  // Another request costs as much as all else here: most scripts' responses are asked for this way.
  if (signal && isAsAsked(request)) return request
  const headers = new Headers()
  const host = request.headers.get('host')
  for (const [name, value] of request.headers) {
    if (isTakenOff(name)) continue
    // Pages link to one another: which of them a visitor comes from would be found in most of them.
    const referer = name === 'referer' ? ownReferer(value, host) : null
    headers.append(name, referer ?? value)
  }
  const init = { method: 'GET', headers, ...(signal && { signal }) }
  return new Request(withoutQuery(request.url), init)
}

const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'

/**
 * A request in which nothing is a visitor's: GET, without query, cookies, and any
 * field that somebody could shape what others see with (`Accept-Language`,
 * `User-Agent` ...). `conditions` are the validators of an entry that is looked after.
 */
export const neutralRequest = (
  request: Request,
  options: { conditions?: Readonly<Record<string, string>>; variant?: PageVariant } = {},
): Request => {
  const headers = new Headers()
  const host = request.headers.get('host')
  if (host !== null) headers.set('host', host)
  // Only a trusted proxy's is still there: which scheme visitors see is part of the page's address.
  const proto = request.headers.get('x-forwarded-proto')
  if (proto !== null) headers.set('x-forwarded-proto', proto)
  headers.set('accept', ACCEPT)
  headers.set('user-agent', neutralUserAgent(options.variant ?? null))
  for (const [name, value] of Object.entries(options.conditions ?? {})) headers.set(name, value)
  return new Request(withoutQuery(request.url), { method: 'GET', headers })
}
