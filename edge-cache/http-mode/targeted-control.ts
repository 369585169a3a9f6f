import { structuredDictionary, type BareItem } from './structured-dictionary.ts'

/** Longer fields are not read; no cache needs so many directives. */
const MAX_LENGTH = 8192

/** Directives whose argument is a number of seconds. */
const SECONDS = new Set(['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error'])
/** Directives that may name fields. */
const QUALIFIED = new Set(['private', 'no-cache'])

const directiveOf = (name: string, value: BareItem | 'list'): [string, string] | null => {
  const isSecs = value !== 'list' && value.kind === 'integer' && !value.text.startsWith('-')
  // What cannot be read is no time at all, as in Cache-Control (RFC 9111, 4.2.1).
  if (SECONDS.has(name)) return [name, isSecs ? value.text : '']
  if (value === 'list') return null
  const { kind, text } = value
  // `?0` says that it does not hold.
  if (kind === 'boolean') return text === '1' ? [name, ''] : null
  return QUALIFIED.has(name) && kind === 'string' ? [name, text] : null
}

/**
 * Directives of a targeted field such as `CDN-Cache-Control` (RFC 9213) with their
 * arguments, '' where there is none; null where the field is absent, empty, or no
 * valid Dictionary, so that `Cache-Control` counts. A value of a type that the
 * directive does not take is skipped, like directives that nobody knows.
 */
export const targetedDirectives = (field: string | null): [string, string][] | null => {
  if (field === null || field.length > MAX_LENGTH) return null
  const members = structuredDictionary(field)
  if (members === null || members.size === 0) return null
  return [...members].flatMap(([name, value]) => {
    const directive = directiveOf(name, value)
    return directive === null ? [] : [directive]
  })
}
