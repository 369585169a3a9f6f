/** A request target, judged and brought to its one spelling. */
export interface NormalTarget {
  /**
   * The path in its one spelling: escapes of letters, digits, `-._~`, blanks,
   * `"<>^{|}` and valid UTF-8 are decoded, dot segments resolved. Escapes of
   * delimiters (`%2F`, `%3B`, `%25`, ...) and of bytes that are not UTF-8 stay, in
   * upper case, so that two targets with different meaning never meet. Cache
   * key, rules and purges use this.
   */
  path: string
  /** The file the path names, fully decoded; null when no file can be meant (`%2F`, bytes that are not UTF-8). */
  file: string | null
  /** What follows the first `?`, as received; null without one. */
  query: string | null
}

/** Escapes of these are decoded: they mean the same either way (RFC 3986, 2.3), or may not stand raw. */
const DECODED = /[A-Za-z0-9\-._~ "<>^`{|}]/
/** Whole path already in its one spelling. */
const PLAIN = /^\/(?!\.)(?:[A-Za-z0-9\-_~!$&'()*+,;=:@[\]]|\.|\/(?!\.))*$/
const QUERY = /^[\x21\x22\x24-\x7e\x80-\xff]*$/
const NEEDS_ESCAPE = /[^\x21-\x7e]|["<>^`{|}]/gu

const escapeOf = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** Length of the UTF-8 sequence that `lead` begins; 0 when it begins none. */
const sequenceLength = (lead: number): number => {
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0
}

/** What the second byte of a sequence may be, where less than any: else the character would be written too long, or be none (RFC 3629, 4). */
const SECOND_BYTES: ReadonlyMap<number, readonly [from: number, to: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
])
const ANY_SECOND = [0x80, 0xbf] as const

/** The character that the sequence of `length` bytes at `at` is; null: it is none. */
const characterAt = (bytes: readonly number[], at: number, length: number): string | null => {
  if (length === 0 || at + length > bytes.length) return null
  const lead = bytes[at] as number
  const [from, to] = SECOND_BYTES.get(lead) ?? ANY_SECOND
  const second = bytes[at + 1] as number
  if (second < from || second > to) return null
  let code = lead & (0x7f >> length)
  for (let i = at + 1; i < at + length; i++) {
    const byte = bytes[i] as number
    if ((byte & 0xc0) !== 0x80) return null
    code = (code << 6) | (byte & 0x3f)
  }
  return String.fromCodePoint(code)
}

/**
 * Text of a run of bytes above 0x7F; bytes that are no UTF-8 become escapes. By hand, since a
 * `TextDecoder` that throws for each of thousands of bytes takes tens of milliseconds.
 */
const textOfBytes = (bytes: readonly number[]): string => {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] as number
    const length = sequenceLength(lead)
    const character = characterAt(bytes, at, length)
    text += character ?? escapeOf(lead)
    at += character === null ? 1 : length
  }
  return text
}

/** Decodes what may be decoded; null for what no path may hold. */
const decodeOnce = (raw: string): string | null => {
  let text = ''
  let run: number[] = []
  for (let i = 0; i < raw.length; i++) {
    let code = raw.charCodeAt(i)
    const escaped = code === 0x25
    if (escaped) {
      const digits = raw.slice(i + 1, i + 3)
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return null
      code = Number.parseInt(digits, 16)
      i += 2
    } else if (code === 0x20 || code === 0x23 || code > 0xff) return null
    if (code < 0x20 || code === 0x7f || code === 0x5c) return null
    if (code > 0x7f) {
      run.push(code)
      continue
    }
    if (run.length > 0) {
      text += textOfBytes(run)
      run = []
    }
    const character = String.fromCharCode(code)
    text += escaped && !DECODED.test(character) ? escapeOf(code) : character
  }
  return run.length > 0 ? text + textOfBytes(run) : text
}

/** RFC 3986, 5.2.4, but leaving the root is refused (null) instead of ignored. */
const withoutDotSegments = (path: string): string | null => {
  const kept: string[] = []
  const segments = path.slice(1).split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment !== '.' && segment !== '..') {
      kept.push(segment)
      continue
    }
    if (segment === '..' && kept.pop() === undefined) return null
    if (index === segments.length - 1) kept.push('')
  }
  return `/${kept.join('/')}`
}

const fileOf = (path: string): string | null => {
  if (!path.includes('%')) return path
  if (/%(?:2F|[89A-F])/.test(path)) return null
  return path.replace(/%([0-7][0-9A-F])/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/**
 * Judges a request target in origin form (`/path?query`), one character per
 * byte. Decodes once. Null (answer 400): no leading slash, a bad escape, NUL and
 * other controls, blanks, `#`, backslash, or dot segments that leave the root.
 */
export const normalizeTarget = (rawTarget: string): NormalTarget | null => {
  const mark = rawTarget.indexOf('?')
  const rawPath = mark === -1 ? rawTarget : rawTarget.slice(0, mark)
  const query = mark === -1 ? null : rawTarget.slice(mark + 1)
  if (query !== null && !QUERY.test(query)) return null
  if (PLAIN.test(rawPath)) return { path: rawPath, file: rawPath, query }
  if (!rawPath.startsWith('/')) return null
  const decoded = decodeOnce(rawPath)
  const path = decoded === null ? null : withoutDotSegments(decoded)
  return path === null ? null : { path, file: fileOf(path), query }
}

/** The one spelling of a path that a person wrote (a purge, an exclusion): `/日本 1`, `/%E6%97%A5`; null when it is none. */
export const normalizePathText = (text: string): string | null =>
  normalizeTarget(text.replace(/[^\x21-\x7e]|\?/gu, escapeText))?.path ?? null

/** A lone surrogate is no character; it becomes U+FFFD as everywhere else. */
const escapeText = (character: string): string => encodeURIComponent(character.toWellFormed())

/** A normalised path as it stands in a URL. Different paths give different URLs. */
export const encodePath = (path: string): string => path.replace(NEEDS_ESCAPE, escapeText)
