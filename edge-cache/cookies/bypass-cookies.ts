import { someCookie } from './cookie-pairs.ts'
import { OPAQUE_COOKIES, SHAPING_COOKIES } from './harmless-cookies.ts'
import type { LearnedCookies } from './learned-cookies.ts'
import { nameList, type NameList } from './name-list.ts'
import { SESSION_COOKIES } from './session-cookies.ts'
import { isSessionLikeValue } from './session-like-value.ts'

export type { LearnedCookies } from './learned-cookies.ts'

const opaque = nameList(OPAQUE_COOKIES)
const shaping = nameList(SHAPING_COOKIES)
const session = nameList(SESSION_COOKIES)
/** Joomla and others name their session by a digest; DokuWiki its log-in by `DW` and one. */
const DIGEST_NAME = /^(?:dw)?[0-9a-f]{32}$/
/** Rules are plain data that lives as long as the configuration; each list is read once. */
const custom = new WeakMap<readonly string[], NameList>()

/** The list of a rule, read once. */
export const customNames = (list: readonly string[]): NameList => {
  let names = custom.get(list)
  if (!names) custom.set(list, (names = nameList(list)))
  return names
}

/** Whether the built-in list knows the name as one that tells nothing. */
export const isHarmlessCookie = (lowerName: string): boolean =>
  opaque.has(lowerName) || shaping.has(lowerName)

/** Whether the built-in list knows the name as one of a session or log-in. */
export const isSessionCookie = (lowerName: string): boolean =>
  !isHarmlessCookie(lowerName) && (session.has(lowerName) || DIGEST_NAME.test(lowerName))

const counts = (name: string, value: string, learned: LearnedCookies | undefined): boolean => {
  if (learned?.isHarmless(name) === true) return false
  if (learned?.isSession(name) === true) return true
  if (isHarmlessCookie(name)) return false
  if (session.has(name) || DIGEST_NAME.test(name)) return true
  return learned?.isFull === true || learned?.has(name) === true || isSessionLikeValue(value)
}

/**
 * Whether a `Cookie` field names someone: such a request is neither answered from
 * the cache nor stored. That is told by the built-in list of session cookies, by
 * what the site was seen to set, and by values that look like the id of a session;
 * never by cookies known as harmless. `list` (names, a `*` stands for any text at an
 * end) replaces all of that: it is the owner's word. Case does not matter.
 */
export const hasBypassCookie = (
  header: string | null,
  list: readonly string[] | null,
  learned?: LearnedCookies,
): boolean => {
  if (header === null || header === '') return false
  if (list === null) return someCookie(header, (name, value) => counts(name, value, learned))
  const names = customNames(list)
  return someCookie(header, (name) => names.has(name))
}

/**
 * What the cookies of a request could do to a response; the strongest of them counts.
 * `none`: there are none. `opaque`: pages are not made by them. `shaping`: they name
 * nobody, but a server may answer by them (consent, tests, and what the owner calls
 * harmless). `telling`: no list knows one of them as harmless.
 */
export type FillCookies = 'none' | 'opaque' | 'shaping' | 'telling'

/** Which cookies a request has, as far as its response might be stored for all. */
export const fillCookies = (header: string | null, learned?: LearnedCookies): FillCookies => {
  let strongest: FillCookies = 'none'
  if (header === null) return strongest
  const isTelling = someCookie(header, (name) => {
    if (learned?.isHarmless(name) === true || shaping.has(name)) strongest = 'shaping'
    else if (opaque.has(name)) {
      if (strongest === 'none') strongest = 'opaque'
    } else return true
    return learned?.isSession(name) === true
  })
  return isTelling ? 'telling' : strongest
}
