/** Whether a UTF-16 unit belongs to a class of characters. */
export type CharacterTest = (code: number) => boolean

const between = (code: number, first: number, last: number): boolean =>
  code >= first && code <= last
const isDigit: CharacterTest = (code) => between(code, 48, 57)
const isUpper: CharacterTest = (code) => between(code, 65, 90)
const isLower: CharacterTest = (code) => between(code, 97, 122)
const isAlpha: CharacterTest = (code) => isUpper(code) || isLower(code)
const isSpace: CharacterTest = (code) => code === 32 || between(code, 9, 13)
const isBlank: CharacterTest = (code) => code === 32 || code === 9
const isGraph: CharacterTest = (code) => between(code, 33, 126)

/** `\w`: letters, digits and `_` of ASCII. */
export const isWord: CharacterTest = (code) => isAlpha(code) || isDigit(code) || code === 95

const not =
  (test: CharacterTest): CharacterTest =>
  (code) =>
    !test(code)

/** Classes written as an escape, e.g. `\d`. */
export const ESCAPED_CLASSES: Readonly<Record<string, CharacterTest>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
  h: isBlank,
  H: not(isBlank),
  v: (code) => between(code, 10, 13),
  V: (code) => !between(code, 10, 13),
  N: (code) => code !== 10,
}

/** Classes inside brackets, e.g. `[[:alpha:]]`. */
export const POSIX_CLASSES: Readonly<Record<string, CharacterTest>> = {
  alpha: isAlpha,
  digit: isDigit,
  alnum: (code) => isAlpha(code) || isDigit(code),
  upper: isUpper,
  lower: isLower,
  space: isSpace,
  blank: isBlank,
  punct: (code) => isGraph(code) && !isAlpha(code) && !isDigit(code),
  print: (code) => between(code, 32, 126),
  graph: isGraph,
  cntrl: (code) => code < 32 || code === 127,
  xdigit: (code) => isDigit(code) || between(code, 65, 70) || between(code, 97, 102),
  word: isWord,
  ascii: (code) => code < 128,
}

/** Characters written as an escape. */
export const ESCAPED_CHARACTERS: Readonly<Record<string, number>> = {
  n: 10,
  r: 13,
  t: 9,
  f: 12,
  e: 27,
  a: 7,
}

/** The same letter in the other case; the character itself where it has none. */
export const otherCase = (code: number): number => {
  if (isLower(code)) return code - 32
  if (isUpper(code)) return code + 32
  if (code < 128) return code
  const character = String.fromCharCode(code)
  const lower = character.toLowerCase()
  const other = lower === character ? character.toUpperCase() : lower
  return other.length === 1 ? other.charCodeAt(0) : code
}
