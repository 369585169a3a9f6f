import { LegacyError } from '../legacy-error.ts'
import type { Place } from '../types.ts'

/** Longer than any rule; a line that never ends is an attack. */
const MAX_LINE = 64 * 1024

/** Lines with what continues them joined; comments and empty lines skipped. Throws `LegacyError`. */
export const apacheLines = (file: string, text: string): (Place & { text: string })[] => {
  const found: (Place & { text: string })[] = []
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    const parts: string[] = []
    let length = 0
    for (;;) {
      const part = (lines[at] ?? '').replace(/\r$/, '')
      const goesOn = part.endsWith('\\') && at + 1 < lines.length
      const kept = goesOn ? part.slice(0, -1) : part
      parts.push(kept)
      length += kept.length
      if (length > MAX_LINE)
        throw new LegacyError(
          { file, line },
          `a line is longer than ${MAX_LINE} characters. Write it as several directives.`,
        )
      if (!goesOn) break
      at++
    }
    const whole = parts.join('').trim()
    if (whole !== '' && !whole.startsWith('#')) found.push({ file, line, text: whole })
  }
  return found
}

/** Splits arguments at blanks; quotes keep them together, and a backslash keeps a quote or itself. */
export const apacheWords = (text: string): string[] => {
  const words: string[] = []
  const blank = /\s/
  let at = 0
  while (at < text.length) {
    if (blank.test(text.charAt(at))) {
      at++
      continue
    }
    const first = text.charAt(at)
    const quote = first === '"' || first === "'" ? first : null
    if (quote !== null) at++
    let word = ''
    for (; at < text.length; at++) {
      const character = text.charAt(at)
      if (quote === null ? blank.test(character) : character === quote) break
      const next = text.charAt(at + 1)
      const keeps = character === '\\' && next !== '' && (next === '\\' || next === quote)
      if (keeps) at++
      word += keeps ? next : character
    }
    if (quote !== null) at++
    words.push(word)
  }
  return words
}

/** Splits the arguments of rewriting, where a backslash stays what it is. */
export const rewriteWords = (text: string): string[] => {
  const words: string[] = []
  const word = /"((?:\\[\s\S]|[^"\\])*)"?|'((?:\\[\s\S]|[^'\\])*)'?|((?:\\[\s\S]|[^\s\\])+)/g
  for (const [, double, single, bare] of text.matchAll(word))
    words.push(double ?? single ?? bare ?? '')
  return words
}
