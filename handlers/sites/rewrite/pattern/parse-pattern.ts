import { ESCAPED_CHARACTERS, ESCAPED_CLASSES } from './pattern-classes.ts'
import { PatternError, type PatternNode } from './pattern-node.ts'
import { parseSet } from './pattern-set.ts'

interface Flags {
  noCase: boolean
  multiLine: boolean
  dotAll: boolean
  extended: boolean
}

export interface ParsedPattern {
  node: PatternNode
  groups: number
}

const MAX_PATTERN = 2048
const MAX_NESTING = 100
const MAX_REPEAT = 1000

/**
 * Reads a Perl-compatible pattern of up to 2048 characters. Throws `PatternError` for what is
 * longer or malformed, and for recursion, conditions and `\K`.
 */
export const parsePattern = (source: string, noCase: boolean): ParsedPattern => {
  if (source.length > MAX_PATTERN)
    throw new PatternError(`a pattern is longer than ${MAX_PATTERN} characters`)
  let at = 0
  let groups = 0
  let nesting = 0
  const names = new Map<string, number>()
  let flags: Flags = { noCase, multiLine: false, dotAll: false, extended: false }

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }
  const char = (code: number): PatternNode => ({ kind: 'char', code, noCase: flags.noCase })
  const named = (name: string): PatternNode => {
    const index = names.get(name)
    if (index === undefined) throw new PatternError(`there is no group "${name}"`)
    return { kind: 'backreference', index, noCase: flags.noCase }
  }
  const close = (): void => {
    if (source[at] !== ')') throw new PatternError('a "(" is not closed')
    at++
  }
  /** What stands in a group up to its end; flags set inside end with it. */
  const inside = (): PatternNode => {
    if (++nesting > MAX_NESTING) throw new PatternError('it nests too deep')
    const outer = flags
    flags = { ...flags }
    const body = parseEither()
    flags = outer
    nesting--
    close()
    return body
  }
  const setFlags = (on: string, off: string): void => {
    flags = { ...flags }
    for (const [letters, value] of [
      [on, true],
      [off, false],
    ] as const) {
      for (const letter of letters) {
        if (letter === 'i') flags.noCase = value
        else if (letter === 'm') flags.multiLine = value
        else if (letter === 's') flags.dotAll = value
        else flags.extended = value
      }
    }
  }
  const parseGroup = (): PatternNode => {
    if (take(/\?#[^)]*\)/y)) return { kind: 'sequence', parts: [] }
    if (take(/\?:/y)) return { kind: 'group', index: null, body: inside() }
    if (take(/\?>/y)) return { kind: 'atomic', body: inside() }
    const look = take(/\?(<?)([=!])/y)
    if (look) {
      const [, behind, sign] = look
      return { kind: 'look', behind: behind === '<', negative: sign === '!', body: inside() }
    }
    const name = take(/\?(?:P?<(\w+)>|'(\w+)')/y)
    if (name) {
      const index = ++groups
      names.set(name[1] ?? name[2] ?? '', index)
      return { kind: 'group', index, body: inside() }
    }
    const reference = take(/\?P=(\w+)\)/y)
    if (reference) return named(reference[1] ?? '')
    const switched = take(/\?([imsx]*)(?:-([imsx]*))?([:)])/y)
    if (switched) {
      const [, on = '', off = '', end] = switched
      if (end === ')') {
        setFlags(on, off)
        return { kind: 'sequence', parts: [] }
      }
      const outer = flags
      setFlags(on, off)
      const body = inside()
      flags = outer
      return { kind: 'group', index: null, body }
    }
    if (source[at] === '?' || source[at] === '*') {
      throw new PatternError(`"(${source.slice(at, at + 3)}" is not supported`)
    }
    const index = ++groups
    return { kind: 'group', index, body: inside() }
  }
  const parseEscape = (): PatternNode => {
    const quoted = take(/Q([\s\S]*?)(?:\\E|$)/y)
    if (quoted) {
      const codes = [...(quoted[1] ?? '')].map((c) => char(c.charCodeAt(0)))
      return { kind: 'sequence', parts: codes }
    }
    const hex = take(/x(?:\{([0-9a-f]{1,4})\}|([0-9a-f]{0,2}))/iy)
    if (hex) return char(Number.parseInt(hex[1] ?? hex[2] ?? '0', 16) || 0)
    const back = take(/g?(?:\{(\d+)\}|([1-9]\d?))/y)
    if (back) {
      const index = Number(back[1] ?? back[2])
      return { kind: 'backreference', index, noCase: flags.noCase }
    }
    const byName = take(/k(?:<(\w+)>|'(\w+)'|\{(\w+)\})/y)
    if (byName) return named(byName[1] ?? byName[2] ?? byName[3] ?? '')
    const letter = source[at++]
    if (letter === undefined) throw new PatternError('it ends with a backslash')
    const has = ESCAPED_CLASSES[letter]
    if (has) return { kind: 'set', has }
    if (letter === 'A') return { kind: 'start' }
    if (letter === 'z' || letter === 'Z') return { kind: 'end' }
    if (letter === 'b') return { kind: 'boundary' }
    if (letter === 'B') return { kind: 'no-boundary' }
    if (letter === 'E') return { kind: 'sequence', parts: [] }
    if (letter === 'R') return { kind: 'set', has: (code) => code >= 10 && code <= 13 }
    if (letter === '0') return char(0)
    const code = ESCAPED_CHARACTERS[letter]
    if (code !== undefined) return char(code)
    if (/[a-zA-Z]/.test(letter)) throw new PatternError(`"\\${letter}" is not supported`)
    return char(letter.charCodeAt(0))
  }
  const parseAtom = (): PatternNode => {
    const character = source[at++] as string
    if (character === '(') return parseGroup()
    if (character === '\\') return parseEscape()
    if (character === '.') return { kind: 'any', dotAll: flags.dotAll }
    if (character === '^') return { kind: flags.multiLine ? 'line-start' : 'start' }
    if (character === '$') return { kind: flags.multiLine ? 'line-end' : 'end' }
    if (character === '[') {
      const { has, end } = parseSet(source, at, flags.noCase)
      at = end
      return { kind: 'set', has }
    }
    if (character === '*' || character === '+' || character === '?') {
      throw new PatternError(`there is nothing before "${character}" to repeat`)
    }
    return char(character.charCodeAt(0))
  }
  const parseRepeat = (body: PatternNode): PatternNode => {
    const found = take(/(?:([*+?])|\{(\d{1,5})(?:(,)(\d{0,5}))?\})([?+]?)/y)
    if (!found) return body
    const [, sign, low, comma, high, mark] = found
    let min = sign === '+' ? 1 : 0
    let max = sign === '?' ? 1 : Infinity
    if (low !== undefined) {
      min = Number(low)
      max = comma === undefined ? min : high ? Number(high) : Infinity
    }
    if (min > MAX_REPEAT || (max !== Infinity && (max > MAX_REPEAT || max < min))) {
      throw new PatternError('a number of repetitions is out of range')
    }
    const mode = mark === '?' ? 'lazy' : mark === '+' ? 'possessive' : 'greedy'
    return { kind: 'repeat', body, min, max, mode }
  }
  const parseSequence = (): PatternNode => {
    const parts: PatternNode[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      if (flags.extended && take(/(?:\s+|#[^\n]*)/y)) continue
      parts.push(parseRepeat(parseAtom()))
    }
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: 'sequence', parts }
  }
  const parseEither = (): PatternNode => {
    const options = [parseSequence()]
    while (source[at] === '|') {
      at++
      options.push(parseSequence())
    }
    return options.length === 1 ? (options[0] as PatternNode) : { kind: 'either', options }
  }
  const node = parseEither()
  if (at < source.length) throw new PatternError('a ")" has no "("')
  return { node, groups }
}
