import { CLICK_IDS } from '../address/click-ids.ts'
import { hasBypassCookie } from '../cookies/bypass-cookies.ts'
import { hasIgnorableQuery } from '../address/ignorable-query.ts'
import type { Observation } from '../statistics/observation.ts'
import type { PageCache } from './page-cache.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import { responseVerdict } from '../policy/policy.ts'

/** More of one request's cookies are not looked at. */
const MAX_COOKIES = 64
const DEFAULT_TTL_SECS = 3600

/** Of images, styles, scripts and data, which are no pages whoever asks. */
const NO_PAGE = 'content-type'

const SAID = /^berth; fwd=([a-z-]+)(?:; detail=([a-z-]{1,32}))?$/

/** Names of the cookies each of which alone would keep its owner from the cache. */
const cookiesInTheWay = (header: string | null, { rule, learned }: PageCacheContext): string[] => {
  if (header === null) return []
  const names = new Set<string>()
  for (const cookie of header.split(';', MAX_COOKIES)) {
    if (hasBypassCookie(cookie, rule.bypass_cookies, learned))
      names.add((cookie.split('=', 1)[0] ?? '').trim())
  }
  return [...names]
}

/** Whether it is of a type that this site does not keep. Browsers ask for files they have with conditions. */
const isNoPage = ({ status, headers }: Response, { rule }: PageCacheContext): boolean => {
  if (status === 304) return true
  const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  return status === 200 && !rule.content_types.includes(type.trim().toLowerCase())
}

/**
 * Why the response did not come from the cache, as its `Cache-Status` says it; where
 * that says only that nothing was stored, why the response could not be. Null for a
 * hit, for what no cache answers (POST), and for a response that it did not see.
 */
const reasonOf = (response: Response, context: PageCacheContext, nowMs: number): string | null => {
  const said = SAID.exec(response.headers.get('cache-status') ?? '')
  if (said === null) return null
  const [, forwarded = '', detail] = said
  if (forwarded === 'method') return null
  const { rule } = context
  if (rule.mode === 'http') return detail ?? forwarded
  if (isNoPage(response, context)) return NO_PAGE
  if (detail !== undefined) return detail
  const verdict = responseVerdict(
    response,
    {
      ttlSecs: rule.ttl ?? DEFAULT_TTL_SECS,
      contentTypes: rule.content_types,
      variesByDevice: rule.mobile_variant === true,
    },
    nowMs,
  )
  return typeof verdict === 'string' ? verdict : forwarded
}

/** The same page cache, whose requests that are not answered from the cache are observed. */
export const observedPageCache = (
  cache: PageCache,
  deps: { observe(observation: Observation): void; nowMs(): number },
): PageCache => ({
  ...cache,
  async handle(request, context, next) {
    const response = await cache.handle(request, context, next)
    if (context.refresh) return response
    const reason = reasonOf(response, context, deps.nowMs())
    if (reason === null) return response
    const { headers, url } = request
    deps.observe({
      site: context.primaryDomain,
      reason,
      path: reason === NO_PAGE || reason === 'excluded' ? null : context.path,
      cookies: reason === 'cookie' ? cookiesInTheWay(headers.get('cookie'), context) : [],
      clickIdsOnly: reason === 'query' && hasIgnorableQuery(url, CLICK_IDS),
    })
    return response
  },
  countRepeated(primaryDomain, cacheStatus) {
    cache.countRepeated(primaryDomain, cacheStatus)
    // Only files are given again; pages among them are too few to look at each.
    const seen = { path: null, cookies: [], clickIdsOnly: false }
    deps.observe({ site: primaryDomain, reason: NO_PAGE, ...seen })
  },
})
