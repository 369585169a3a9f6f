import { LegacyError } from '../legacy-error.ts'
import type { Place } from '../types.ts'

/** A word, quotes and backslashes resolved, or a sign; with the place where it begins. */
export type NginxToken = Place & ({ kind: 'word'; text: string } | { kind: '{' | '}' | ';' })

const MAX_WORD = 64 * 1024
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }

/** Cuts a file of nginx into words and signs. Throws `LegacyError` for quotes that do not end. */
export const nginxTokens = (file: string, text: string): NginxToken[] => {
  const tokens: NginxToken[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  const take = (): string => {
    const character = text.charAt(at++)
    if (character === '\n') line++
    return character
  }
  /** A backslash keeps quotes and itself; before other letters it stays, as patterns need it. */
  const escaped = (): string => {
    const next = take()
    if (next === '"' || next === "'" || next === '\\') return next
    return ESCAPES[next] ?? `\\${next}`
  }
  while (at < text.length) {
    const character = text.charAt(at)
    if (/\s/.test(character)) {
      take()
      continue
    }
    if (character === '#') {
      while (at < text.length && text.charAt(at) !== '\n') at++
      continue
    }
    const begin = { file, line }
    if (character === '{' || character === '}' || character === ';') {
      take()
      tokens.push({ ...begin, kind: character })
      continue
    }
    const parts: string[] = []
    const quote = character === '"' || character === "'" ? take() : null
    for (;;) {
      if (at >= text.length) {
        if (quote === null) break
        throw new LegacyError(begin, 'a quote does not end.')
      }
      const next = text.charAt(at)
      if (quote === null ? /[\s;{]/.test(next) && !isVariable(text, at) : next === quote) break
      take()
      parts.push(next === '\\' ? escaped() : next)
      if (parts.length > MAX_WORD)
        throw new LegacyError(begin, `a word is longer than ${MAX_WORD} characters. Shorten it.`)
    }
    if (quote !== null) take()
    tokens.push({ ...begin, kind: 'word', text: parts.join('') })
    const opens = text.slice(at, at + 200).match(/^\s*\{/)
    if (/_by_lua_block$/.test(parts.join('')) && opens) skipCode()
  }
  /** The code of a block in another language, whose braces are balanced. */
  function skipCode(): void {
    let depth = 0
    while (at < text.length) {
      const character = take()
      if (character === '{') depth++
      if (character === '}' && --depth === 0) break
    }
    tokens.push({ file, line, kind: ';' })
  }
  return tokens
}

/** Whether a brace belongs to `${name}`. */
const isVariable = (text: string, at: number): boolean =>
  text.charAt(at) === '{' && text.charAt(at - 1) === '$'
