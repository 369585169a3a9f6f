import { LITESPEED_CONTROL } from '../../edge-cache/cache-control.ts'
import { hasBypassCookie } from '../../edge-cache/cookies.ts'
import {
  isPluginField,
  LITESPEED_CACHE,
  LITESPEED_VARY,
  LSC_COOKIE,
  nameOfCookie,
  PURGE_FIELDS,
  splitCookies,
} from '../../edge-cache/litespeed/litespeed-fields.ts'
import { readPurgeOrder } from '../../edge-cache/litespeed/purge-order.ts'
import { TAG_HEADERS } from '../../edge-cache/tags.ts'
import type { Log } from '../ports/log.ts'
import type { SiteCall } from './site-call.ts'
import type { SiteContext } from './site-context.ts'
import type { SiteOrigin } from './site-origin.ts'
import { siteScopes, type PurgeSite } from './site-purges.ts'

/** What the application said to its page cache, kept until its answer goes to the client. */
interface Said {
  /** Whether a plugin's crawler asks, and the page is not to be stored. */
  tellsCrawler: boolean
}

/** By the request's context, which all copies of its call share. */
const said = new WeakMap<SiteContext, Said>()

/** Read by the page cache, which takes them away. */
const FOR_THE_CACHE: ReadonlySet<string> = new Set([LITESPEED_CONTROL, LSC_COOKIE, ...TAG_HEADERS])
const TAG = 'x-litespeed-tag'
/** Begins the `User-Agent` of the plugins' crawler, which asks what the cache makes of a page. */
const CRAWLER = 'lscache_runner'

/** Whether every request by which such an answer would be wrong passes by the cache, as the answer demands. */
const isVaryKept = (vary: string, { vhost, plan }: SiteCall): boolean =>
  vary.split(',').every((part) => {
    const text = part.trim()
    const equals = text.indexOf('=')
    const [kind, value] = [text.slice(0, equals).toLowerCase(), text.slice(equals + 1)]
    if (text === '') return true
    if (kind === 'cookie') return hasBypassCookie(`${value}=1`, vhost.cache.bypass_cookies)
    return kind === 'value' && value === (plan?.variant ?? '')
  })

/** `LSC-Cookie` without what the answer sets by `Set-Cookie` as well. */
const dropTwins = (headers: Headers): void => {
  const set = new Set(headers.getSetCookie().map(nameOfCookie))
  if (set.size === 0) return
  const left = splitCookies(headers.get(LSC_COOKIE) ?? '').filter(
    (cookie) => !set.has(nameOfCookie(cookie)),
  )
  if (left.length === 0) headers.delete(LSC_COOKIE)
  else headers.set(LSC_COOKIE, left.join(', '))
}

/**
 * The origin whose answers may speak to the page cache as LiteSpeed's plugins do: what
 * they ask to be purged is purged in every worker before the answer goes on, within the
 * virtual host alone, and words that are for nobody else are taken away.
 */
export const readPluginFields = (
  origin: SiteOrigin,
  deps: { purgeSite?: PurgeSite; cache: unknown; log: Log },
): SiteOrigin => {
  const { purgeSite, log } = deps

  const purge = async (headers: Headers, call: SiteCall): Promise<void> => {
    const { vhost } = call
    const text = PURGE_FIELDS.flatMap((name) => headers.get(name) ?? []).join(';')
    if (text === '' || !purgeSite || deps.cache === null || !vhost.cache.enable) return
    const scopes = siteScopes(readPurgeOrder(text), vhost)
    if (scopes.length === 0) return
    try {
      await purgeSite(vhost.domain, scopes)
    } catch (error) {
      log.error('a purge by a site failed', { domain: vhost.domain, error: String(error) })
    }
  }

  return async (request, call) => {
    const response = await origin(request, call)
    const { headers } = response
    const fields = [...headers.keys()].filter(isPluginField)
    if (fields.length === 0) return response
    await purge(headers, call)
    if (headers.has(LITESPEED_CONTROL) || headers.has(TAG)) {
      const isCrawler = request.headers.get('user-agent')?.startsWith(CRAWLER) === true
      const refuses = /no-cache/i.test(headers.get(LITESPEED_CONTROL) ?? '')
      said.set(call.context, { tellsCrawler: isCrawler && refuses })
    }
    const vary = headers.get(LITESPEED_VARY)
    // Stored it would be found by those whom the application tells apart.
    if (vary !== null && !isVaryKept(vary, call)) headers.set(LITESPEED_CONTROL, 'no-cache')
    if (headers.has(LSC_COOKIE)) dropTwins(headers)
    for (const name of fields) if (!FOR_THE_CACHE.has(name)) headers.delete(name)
    return response
  }
}

/**
 * What the client gets of the application's words to its cache: cookies, and whether the
 * page came from the cache. Pages from the cache have both already.
 */
export const withPluginAnswer = (
  response: Response,
  { context }: Pick<SiteCall, 'context'>,
): void => {
  const { headers } = response
  const cookies = headers.get(LSC_COOKIE)
  if (cookies !== null) {
    headers.delete(LSC_COOKIE)
    for (const cookie of splitCookies(cookies)) headers.append('set-cookie', cookie)
  }
  const words = said.get(context)
  if (words === undefined || headers.get('x-cache') !== 'MISS') return
  headers.set(LITESPEED_CACHE, 'miss')
  if (words.tellsCrawler) headers.set(LITESPEED_CONTROL, 'no-cache')
}
