import { splitTrimmed } from '../fields/field-text.ts'
import { parseAcceptEncoding } from '../codings/encoding.ts'

/** Codings that servers choose from; what a client says of others makes no difference. */
const CODINGS = ['br', 'compress', 'deflate', 'gzip', 'zstd']

/** Lower-case names in a `Vary` field, sorted; null for `*`, which no request ever matches (RFC 9111, 4.1). */
export const varyNames = (headers: Headers): string[] | null => {
  const listed = splitTrimmed((headers.get('vary') ?? '').toLowerCase(), ',')
  const names = listed.filter((name) => name !== '')
  return names.includes('*') ? null : [...new Set(names)].sort()
}

/**
 * The value of a selecting header in a form in which values of one meaning are
 * alike (RFC 9111, 4.1): blanks around commas never matter, of Accept-Encoding
 * only what is acceptable, of Accept-Language not the case. Null where absent.
 */
const normalised = (name: string, value: string | null): string | null => {
  if (name === 'accept-encoding') {
    const accepted = parseAcceptEncoding(value)
    const codings = CODINGS.filter((coding) => accepted.weight(coding) > 0)
    return accepted.identity === 0 ? [...codings, '!identity'].join() : codings.join()
  }
  if (value === null) return null
  const plain = splitTrimmed(value, ',').join(',')
  return name === 'accept-language' ? plain.toLowerCase() : plain
}

/** Secondary key: a digest of what the request says in the selecting headers, in hexadecimal. */
export const selection = async (names: readonly string[], headers: Headers): Promise<string> => {
  const values = names.map((name) => [name, normalised(name, headers.get(name))])
  const bytes = new TextEncoder().encode(JSON.stringify(values))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
