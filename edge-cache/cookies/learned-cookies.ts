/**
 * What is known of the cookies of one site beside the lists. A value: it does not
 * change, and what is learned later makes another one, so that verdicts can be
 * remembered by it. Names are asked for in lower case.
 */
export interface LearnedCookies {
  /** Whether the site itself was seen to set the cookie. */
  has(lowerName: string): boolean
  /** Whether the site's owner says that the cookie is a session's (`session_cookies`). */
  isSession(lowerName: string): boolean
  /** The site sets more names than are kept: every cookie that is not known as harmless then counts. */
  readonly isFull: boolean
  /** Whether the site's owner says that the cookie tells nothing (`harmless_cookies`); goes before `isSession`. */
  isHarmless(lowerName: string): boolean
}
