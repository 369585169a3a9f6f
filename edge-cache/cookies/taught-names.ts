import type { CacheRule } from '../config.ts'
import { customNames, isHarmlessCookie, isSessionCookie } from './bypass-cookies.ts'

/** What the owner of a site says of cookies. */
export type OwnersWord = Pick<CacheRule, 'harmless_cookies' | 'session_cookies'>

/** A longer name is not kept; its site counts as one with too many names. */
export const MAX_NAME_LENGTH = 128
/** Attributes of one field that are looked at. */
const MAX_ATTRIBUTES = 20

/** Value of the attribute, trimmed; null without it. The last one counts (RFC 6265, 5.2). */
const attribute = (parts: readonly string[], wanted: string): string | null => {
  let found: string | null = null
  for (const part of parts) {
    const equals = part.indexOf('=')
    if (equals === -1 || part.slice(0, equals).trim().toLowerCase() !== wanted) continue
    found = part.slice(equals + 1).trim()
  }
  return found
}

/** Whether the field takes a cookie away: it has ended already, or says nothing. */
const deletes = (value: string, attributes: readonly string[], nowMs: number): boolean => {
  if (value === '' || value === '""' || value.toLowerCase() === 'deleted') return true
  const maxAge = attribute(attributes, 'max-age')
  // Where both stand Max-Age counts (RFC 6265, 5.3); what is no number is not there.
  if (maxAge !== null && /^-?\d{1,20}$/.test(maxAge)) return Number(maxAge) <= 0
  const expires = attribute(attributes, 'expires')
  return expires !== null && expires.length <= 64 && Date.parse(expires) <= nowMs
}

/**
 * Names, in lower case, by which a site tells its visitors apart, of the `Set-Cookie`
 * fields of a response. Those of no use: what is deleted, what a list knows already as
 * harmless or as a session, and what the owner's word is on.
 */
export const taughtNames = (
  fields: readonly string[],
  rule: OwnersWord,
  nowMs: number,
): string[] => {
  const names = new Set<string>()
  for (const field of fields) {
    const [pair = '', ...attributes] = field.split(';', MAX_ATTRIBUTES)
    const equals = pair.indexOf('=')
    if (equals === -1) continue
    const name = pair.slice(0, equals).trim().toLowerCase()
    if (name === '' || isHarmlessCookie(name) || isSessionCookie(name)) continue
    if (customNames(rule.harmless_cookies).has(name)) continue
    if (customNames(rule.session_cookies).has(name)) continue
    if (!deletes(pair.slice(equals + 1).trim(), attributes, nowMs)) names.add(name)
  }
  return [...names]
}
