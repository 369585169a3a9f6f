/** As much of a value is looked at. */
const MAX_LENGTH = 1024
/** The shortest run that counts: 20 hexadecimal digits are 80 bits. */
const MIN_RUN = 20
/** How many different characters such a run has at least; of 20 random hexadecimal digits about 12. */
const MIN_DISTINCT = 8
/**
 * Share of the places of a run at which digits, small letters and capitals take turns:
 * 0.4 and more in random text, below 0.2 in words, with or without capitals.
 */
const MIN_TURNS_SHARE = 0.18
const MIN_TURNS = 4

const UUID =
  /(?:^|[^0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:[^0-9a-z]|$)/i

const OTHER = 0
const DIGIT = 1
const LOWER = 2
const UPPER = 3
/** `+`, `-`, `/`, `_`: of the alphabets of base64, and between words as well. */
const MARK = 4

const kindOf = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return DIGIT
  if (code >= 0x61 && code <= 0x7a) return LOWER
  if (code >= 0x41 && code <= 0x5a) return UPPER
  return code === 0x2b || code === 0x2d || code === 0x2f || code === 0x5f ? MARK : OTHER
}

/** Escapes that may be part of base64 spelled out; every other one parts what is around it. */
const unescaped = (value: string): string =>
  value.includes('%')
    ? value
        .replace(/%2b/gi, '+')
        .replace(/%2f/gi, '/')
        .replace(/%[0-9a-f]{2}/gi, ' ')
    : value

/** Whether a run without marks is long, and too disordered for words and numbers. */
const isRandom = (run: string, minLength = MIN_RUN): boolean => {
  if (run.length < minLength) return false
  let turns = 0
  let letters = 0
  let before = OTHER
  for (let at = 0; at < run.length; at++) {
    const kind = kindOf(run.charCodeAt(at))
    if (kind !== DIGIT) letters++
    // A capital begins a word; that a small letter follows it is no turn of its own.
    if (at > 0 && kind !== before && !(before === UPPER && kind === LOWER)) turns++
    before = kind
  }
  if (letters === 0 || turns < MIN_TURNS || turns < run.length * MIN_TURNS_SHARE) return false
  return new Set(run).size >= MIN_DISTINCT
}

/** Base64 has one mark in 32 characters; where there are many more they part words. */
const hasRandomPart = (run: string): boolean => {
  const parts = run.split(/[-+/_]/)
  const marks = parts.length - 1
  if (marks <= 1 + run.length / 14 && isRandom(parts.join(''), MIN_RUN - marks)) return true
  return parts.some((part) => isRandom(part))
}

/**
 * Whether a cookie's value looks like the id of a session: a UUID, or somewhere in it
 * a long random run of letters and digits, as PHP's session ids, hashes, JWTs and
 * encrypted values have. Words, numbers, times, addresses and lists do not. Linear in
 * the first 1024 characters; the rest is not looked at.
 */
export const isSessionLikeValue = (value: string): boolean => {
  if (value.length < MIN_RUN) return false
  const text = unescaped(value.length > MAX_LENGTH ? value.slice(0, MAX_LENGTH) : value)
  if (UUID.test(text)) return true
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && kindOf(text.charCodeAt(at)) !== OTHER) continue
    if (at - start >= MIN_RUN && hasRandomPart(text.slice(start, at))) return true
    start = at + 1
  }
  return false
}
