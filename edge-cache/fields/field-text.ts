/*
 * Reading of small texts that visitors, tenants and programs write: header fields,
 * lines of files, paths. Each goes over its text once, whatever the text is; the
 * patterns that come to mind first (blanks up to the end, or around a comma) look
 * again from each blank.
 */

const BLANKS = ' \t'

/** `text` without the characters of `characters` at its end. */
export const trimEndOf = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return end === text.length ? text : text.slice(0, end)
}

/** `text` without the characters of `characters` at both ends; by default blanks and tabs (OWS of RFC 9110, 5.6.3). */
export const trimOf = (text: string, characters = BLANKS): string => {
  const left = trimEndOf(text, characters)
  let start = 0
  while (start < left.length && characters.includes(left.charAt(start))) start++
  return start === 0 ? left : left.slice(start)
}

/** Parts of `text` between separators (one or more characters), without blanks of any kind around them; empty parts stay. */
export const splitTrimmed = (text: string, separator: string): string[] =>
  text.split(separator).map((part) => part.trim())

/** The first word of `text`, up to its first blank of any kind, and what follows without the blanks between. Blanks before the word are left out. */
export const firstWord = (text: string): [word: string, rest: string] => {
  const whole = text.trimStart()
  const end = whole.search(/\s/)
  return end === -1 ? [whole, ''] : [whole.slice(0, end), whole.slice(end).trimStart()]
}
