import {
  hasBypassCookie,
  isPluginField,
  LITESPEED_CACHE,
  LITESPEED_CONTROL,
  LITESPEED_VARY,
  LSC_COOKIE,
  nameOfCookie,
  OWN_PURGE_FIELD,
  PURGE_FIELDS,
  splitCookies,
  TAG_HEADERS,
} from '../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { Log } from '../../ports/log.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteContext } from '../site-context.ts'
import type { SiteCookies } from './site-cookies.ts'
import type { SiteOrigin } from '../origins/site-origin.ts'
import { orderedBy, siteScopes, type PurgeSite } from './site-purges.ts'

/** Read by the page cache, which takes them away. */
const FOR_THE_CACHE: ReadonlySet<string> = new Set([LITESPEED_CONTROL, LSC_COOKIE, ...TAG_HEADERS])
const TAG = 'x-litespeed-tag'
/** Begins the `User-Agent` of the plugins' crawler, which asks what the cache makes of a page. */
const CRAWLER = 'lscache_runner'

/** Of a response that comes from the application now; stored ones say `hit` in its place. */
const MISS = 'miss'
/** The same between origin and client, where the plugins' crawler asks and nothing is stored. */
const REFUSED_CRAWLER = 'miss; no-cache'

/** Names of cookies and values that `X-LiteSpeed-Vary` speaks of. */
const readVary = (vary: string): { cookies: string[]; values: string[] } => {
  const parts = vary.split(',').map((part) => part.trim())
  const of = (kind: string): string[] =>
    parts
      .filter((part) => part.toLowerCase().startsWith(kind))
      .map((part) => part.slice(kind.length))
  return { cookies: of('cookie='), values: of('value=') }
}

const MAX_VARY_COOKIES = 32
/** Of `LSC-Cookie`: each goes with every page from the cache. */
const MAX_LSC_COOKIES = 100
const COOKIE_NAME = /^[\w.-]{1,128}$/

/**
 * `LSC-Cookie` without what the response sets by `Set-Cookie` as well; none of it, and
 * false, where there are too many cookies.
 */
const keepCookies = (headers: Headers): boolean => {
  const cookies = splitCookies(headers.get(LSC_COOKIE) ?? '')
  const isFew = cookies.length <= MAX_LSC_COOKIES
  const set = new Set(headers.getSetCookie().map(nameOfCookie))
  const left = isFew ? cookies.filter((cookie) => !set.has(nameOfCookie(cookie))) : []
  if (left.length === 0) headers.delete(LSC_COOKIE)
  else if (left.length < cookies.length) headers.set(LSC_COOKIE, left.join(', '))
  return isFew
}

/** What is needed to carry out purges that answers ask for. */
interface PurgeDeps {
  purgeSite?: PurgeSite
  cache: unknown
  log: Log
}

/**
 * Purges in every worker what the fields of a response ask for, within the virtual host
 * alone. Never rejects; true: they were carried out and name all that the request changed.
 */
const purgeBy = async (
  headers: Headers,
  vhost: VirtualHostConfig,
  { purgeSite, cache, log }: PurgeDeps,
): Promise<boolean> => {
  const ordered = orderedBy(headers)
  if (ordered === null || !purgeSite || cache === null || !vhost.cache.enable) return false
  const { isAll } = ordered
  const scopes = siteScopes(ordered.order, vhost)
  if (scopes.length === 0) return isAll
  try {
    await purgeSite(vhost.domain, scopes)
    return isAll
  } catch (error) {
    log.error('a purge by a site failed', { domain: vhost.domain, error: String(error) })
    return false
  }
}

interface Runs<Call extends { vhost: VirtualHostConfig }> {
  run(request: Request, call: Call): Promise<Response>
}

/**
 * Scripts or applications whose responses' purges are carried out as soon as the head is
 * there, whatever becomes of the response then: a body that breaks off or that nobody waits
 * for, and a head that rules cannot be applied to, take our own page in its place.
 */
export const purgingAtOnce = <Call extends { vhost: VirtualHostConfig; context: SiteContext }>(
  origin: Runs<Call>,
  deps: PurgeDeps,
): Runs<Call> => ({
  async run(request, call) {
    const response = await origin.run(request, call)
    const { headers } = response
    if (!PURGE_FIELDS.some((name) => headers.has(name))) return response
    const isAll = await purgeBy(headers, call.vhost, deps)
    // A front has pages of its own.
    if (call.context.front === true) return response
    for (const name of PURGE_FIELDS) headers.delete(name)
    // For `readPluginFields`, which knows what is judged by it.
    if (isAll) headers.set(OWN_PURGE_FIELD, 'only')
    return response
  },
})

/**
 * The origin whose responses may speak to the page cache as LiteSpeed's plugins do: what
 * a site's rules ask to be purged is purged in every worker before the response goes on (what
 * applications ask: `purgingAtOnce`), and words that are for nobody else are taken away.
 */
export const readPluginFields = (
  origin: SiteOrigin,
  deps: PurgeDeps & { cookies?: SiteCookies },
): SiteOrigin => {
  const { cookies, log } = deps

  /**
   * Whether every request for which the response would be wrong passes by the cache.
   * Cookies that it names keep their owners from it from now on, as those that the
   * site sets itself do.
   */
  const isVaryKept = async (vary: string, { vhost, plan }: SiteCall): Promise<boolean> => {
    const { cookies: names, values } = readVary(vary)
    if (values.some((value) => value !== (plan?.variant ?? ''))) return false
    if (names.length > MAX_VARY_COOKIES) return false
    const isKept = (name: string): boolean =>
      hasBypassCookie(`${name}=1`, vhost.cache.bypass_cookies, cookies?.at(vhost))
    for (const name of names.filter((one) => COOKIE_NAME.test(one) && !isKept(one))) {
      await cookies?.learn(vhost, new Response(null, { headers: { 'set-cookie': `${name}=1` } }))
    }
    return names.every(isKept)
  }

  return async (request, call) => {
    const response = await origin(request, call)
    const { headers } = response
    let fields = null as string[] | null
    headers.forEach((_, name) => {
      if (isPluginField(name)) (fields ??= []).push(name)
    })
    if (fields === null) return response
    if (await purgeBy(headers, call.vhost, deps)) call.told = true
    if (headers.has(LITESPEED_CONTROL) || headers.has(TAG)) {
      const isCrawler = request.headers.get('user-agent')?.startsWith(CRAWLER) === true
      const refuses = /no-cache/i.test(headers.get(LITESPEED_CONTROL) ?? '')
      headers.set(LITESPEED_CACHE, isCrawler && refuses ? REFUSED_CRAWLER : MISS)
    }
    const vary = headers.get(LITESPEED_VARY)
    // Stored it would be found by those whom the application tells apart.
    if (vary !== null && !(await isVaryKept(vary, call))) headers.set(LITESPEED_CONTROL, 'no-cache')
    if (headers.has(LSC_COOKIE) && !keepCookies(headers)) {
      const { domain } = call.vhost
      log.error('an answer has more than 100 cookies in LSC-Cookie: it is not stored', { domain })
      headers.set(LITESPEED_CONTROL, 'no-cache')
    }
    for (const name of fields) if (!FOR_THE_CACHE.has(name)) headers.delete(name)
    return response
  }
}

/**
 * What the client gets of the application's words to its cache: cookies, and whether the
 * page came from the cache. Pages from the cache have both already.
 */
export const withPluginResponse = ({ headers }: Response): void => {
  const cookies = headers.get(LSC_COOKIE)
  if (cookies !== null) {
    headers.delete(LSC_COOKIE)
    for (const cookie of splitCookies(cookies)) headers.append('set-cookie', cookie)
  }
  const word = headers.get(LITESPEED_CACHE)
  if (word !== MISS && word !== REFUSED_CRAWLER) return
  // Said of addresses whose pages may come from the cache, like `X-Cache`.
  if (!headers.has('x-cache')) return headers.delete(LITESPEED_CACHE)
  headers.set(LITESPEED_CACHE, MISS)
  if (word === REFUSED_CRAWLER) headers.set(LITESPEED_CONTROL, 'no-cache')
}
