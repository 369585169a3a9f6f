import { isOrdinaryField, isTakenOff } from './browser-fields.ts'
import { fillCookies } from './cookies.ts'
import { neutralUserAgent } from './device-class.ts'
import { withoutQuery } from './ignorable-query.ts'
import { isForwardingField } from './forwarding-fields.ts'
import type { PageCacheContext, PageVariant } from './page-cache.ts'
import { chosenTexts, type ChosenTexts } from './reflection.ts'

/**
 * What a visitor's own request is worth to others.
 * - `ordinary`: its answer may be stored where it does not show what the visitor chose.
 * - `unfit`: its answer tells whether the address has a page for everybody; that
 *   page has to be asked for with a neutral request.
 * - `odd`: made by hand or by script; nothing follows from its answer.
 */
export type Fitness = 'ordinary' | 'unfit' | 'odd'

const NONE: ChosenTexts = { isUndecidable: false, texts: [], exact: [] }

/** Judges a request for a page; a query of its own it has none, or one that no page depends on. */
export const judgeFill = (
  request: Request,
  context: Pick<PageCacheContext, 'host' | 'clientAddress' | 'isTrustedProxy' | 'rule' | 'learned'>,
): { fitness: Fitness; chosen: ChosenTexts } => {
  const { headers, method } = request
  const odd = { fitness: 'odd', chosen: NONE } as const
  if (method !== 'GET') return odd
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
  const chosen = chosenTexts(headers, context)
  return { fitness: isShaped || chosen.isUndecidable ? 'unfit' : 'ordinary', chosen }
}

/**
 * The visitor's own request as its answer may be everybody's: whole, in no coding,
 * without a query that no page depends on, and not bound to the client's
 * connection, so that a visitor who leaves does not break the fill for those who wait.
 */
export const visitorRequest = (request: Request): Request => {
  const headers = new Headers()
  for (const [name, value] of request.headers) if (!isTakenOff(name)) headers.append(name, value)
  return new Request(withoutQuery(request.url), { method: 'GET', headers })
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
  headers.set('accept', ACCEPT)
  headers.set('user-agent', neutralUserAgent(options.variant ?? null))
  for (const [name, value] of Object.entries(options.conditions ?? {})) headers.set(name, value)
  return new Request(withoutQuery(request.url), { method: 'GET', headers })
}
