import { hasBypassCookie, type LearnedCookies } from '#edge-cache/index.ts'
import type { CacheRule } from '#edge-cache/config.ts'

const ADMITS_HTML = /text\/html|\*\/\*/i

/** Whether an Accept field is as every browser says it when it asks for a page; anything else is judged the slow path. */
export const admitsHtml = (accept: string | null): boolean =>
  accept === null || ADMITS_HTML.test(accept)

/** What of a virtual host decides about cookies. */
export interface CookieHost {
  domain: string
  cache: Pick<CacheRule, 'bypass_cookies' | 'harmless_cookies' | 'session_cookies'>
}

/** What is known of the cookies of a virtual host beside the lists. */
export type LearnedAt = (host: CookieHost) => LearnedCookies

/** Whether a cookie of one request keeps its owner from the cache of a virtual host. Default: nothing was learned. */
export type CookieJudge = (host: CookieHost, learnedAt?: LearnedAt) => boolean

/** A verdict, and all that it depends on beside the field. */
interface Judged {
  list: readonly string[] | null
  learned: LearnedCookies | undefined
  verdict: boolean
}

/** Fields that were judged lately: a visitor's next connection has the same. */
const MAX_JUDGED = 1000
const MAX_JUDGED_LENGTH = 1024
const judgedFields = new Map<string, Judged>()

const judge = (
  cookie: string,
  list: readonly string[] | null,
  learned: LearnedCookies | undefined,
): Judged => {
  const known = judgedFields.get(cookie)
  if (known !== undefined && known.list === list && known.learned === learned) return known
  const judged = { list, learned, verdict: hasBypassCookie(cookie, list, learned) }
  if (cookie.length > MAX_JUDGED_LENGTH) return judged
  if (judgedFields.size >= MAX_JUDGED) judgedFields.clear()
  judgedFields.set(cookie, judged)
  return judged
}

const HAS_NO_COOKIE: CookieJudge = () => false

/** Judges a Cookie field once per virtual host and what is known of it. */
export const cookieJudge = (cookie: string | null): CookieJudge => {
  if (cookie === null) return HAS_NO_COOKIE
  let last: Judged | null = null
  return (host, learnedAt) => {
    const list = host.cache.bypass_cookies
    // An own list is all that counts.
    const learned = list === null ? learnedAt?.(host) : undefined
    if (last === null || last.list !== list || last.learned !== learned)
      last = judge(cookie, list, learned)
    return last.verdict
  }
}

/** Weak comparison (RFC 9110, 8.8.3.2): a tag names its page in every coding. */
export const isSameTag = (one: string, other: string): boolean =>
  one === other || opaqueTag(one) === opaqueTag(other)
const opaqueTag = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
