import { hasBypassCookie } from '#edge-cache/index.ts'
import type { HotRequest } from './hot-way.ts'

const ADMITS_HTML = /text\/html|\*\/\*/i

/** Whether an Accept field is as every browser says it when it asks for a page; anything else is judged the cold way. */
export const admitsHtml = (accept: string | null): boolean =>
  accept === null || ADMITS_HTML.test(accept)

/** Judges a Cookie field once per list of names. */
export const cookieJudge = (cookie: string | null): HotRequest['hasBypassCookie'] => {
  if (cookie === null) return () => false
  let judged: readonly string[] | null | undefined
  let verdict = true
  return (list) => {
    if (list === judged) return verdict
    judged = list
    return (verdict = hasBypassCookie(cookie, list))
  }
}

/** Weak comparison (RFC 9110, 8.8.3.2): a tag names its page in every coding. */
export const isSameTag = (one: string, other: string): boolean =>
  one === other || opaqueTag(one) === opaqueTag(other)
const opaqueTag = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
