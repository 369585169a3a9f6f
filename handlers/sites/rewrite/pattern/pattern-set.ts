import { ESCAPED_CHARACTERS, ESCAPED_CLASSES, otherCase, POSIX_CLASSES } from './pattern-classes.ts'
import type { CharacterTest } from './pattern-classes.ts'
import { PatternError } from './pattern-node.ts'

/** A bracket expression that begins behind its `[` at `at`; `end` is behind its `]`. */
export const parseSet = (
  source: string,
  at: number,
  noCase: boolean,
): { has: CharacterTest; end: number } => {
  const negative = source[at] === '^'
  const first = negative ? at + 1 : at
  const tests = new Map<string, CharacterTest>()
  const ranges: [number, number][] = []
  let i = first
  /** One character, or null when a class was read instead. */
  const readOne = (): number | null => {
    const character = source[i] as string
    if (character === '[' && source[i + 1] === ':') {
      const name = /^\[:(\^?)(\w+):\]/.exec(source.slice(i, i + 16))
      if (name) {
        const test = POSIX_CLASSES[name[2] ?? '']
        if (!test) throw new PatternError(`[:${name[2]}:] is not a class of characters`)
        tests.set(name[0], name[1] === '^' ? (code) => !test(code) : test)
        i += name[0].length
        return null
      }
    }
    if (character !== '\\') {
      i++
      return character.charCodeAt(0)
    }
    const escaped = source[i + 1]
    if (escaped === undefined) throw new PatternError('it ends with a backslash')
    const test = ESCAPED_CLASSES[escaped]
    if (test) {
      tests.set(escaped, test)
      i += 2
      return null
    }
    const hex = /^\\x(?:\{([0-9a-f]{1,4})\}|([0-9a-f]{0,2}))/i.exec(source.slice(i, i + 8))
    if (hex) {
      i += hex[0].length
      return Number.parseInt(hex[1] ?? hex[2] ?? '0', 16) || 0
    }
    const octal = /^\\([0-7]{1,3})/.exec(source.slice(i, i + 4))
    if (octal) {
      i += octal[0].length
      return Number.parseInt(octal[1] ?? '0', 8)
    }
    i += 2
    return escaped === 'b' ? 8 : (ESCAPED_CHARACTERS[escaped] ?? escaped.charCodeAt(0))
  }
  for (;;) {
    if (i >= source.length) throw new PatternError('a "[" is not closed')
    if (source[i] === ']' && i > first) break
    const low = readOne()
    if (low === null) continue
    if (source[i] === '-' && i + 1 < source.length && source[i + 1] !== ']') {
      i++
      const high = readOne()
      if (high === null) ranges.push([low, low], [45, 45])
      else if (high < low) throw new PatternError('a range in brackets is the wrong way round')
      else ranges.push([low, high])
    } else ranges.push([low, low])
  }
  const lies = inRanges(ranges)
  const classes = [...tests.values()]
  const holds = (code: number): boolean => lies(code) || classes.some((test) => test(code))
  const either = noCase ? (code: number) => holds(code) || holds(otherCase(code)) : holds
  return { has: tabled(negative ? (code) => !either(code) : either), end: i + 1 }
}

/** Whether a character lies in one of the ranges; as quick for many ranges as for few. */
const inRanges = (ranges: readonly [number, number][]): CharacterTest => {
  const apart: [number, number][] = []
  for (const [low, high] of ranges.toSorted(([left], [right]) => left - right)) {
    const last = apart.at(-1)
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else apart.push([low, high])
  }
  return (code) => {
    let [from, to] = [0, apart.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const [low, high] = apart[middle] as [number, number]
      if (code < low) to = middle
      else if (code > high) from = middle + 1
      else return true
    }
    return false
  }
}

const UNKNOWN = 2

/** Asks for each ASCII character only once, and only when it comes up. */
const tabled = (test: CharacterTest): CharacterTest => {
  // Most of what is read is never asked.
  let table: Uint8Array | null = null
  return (code) => {
    if (code >= 128) return test(code)
    table ??= new Uint8Array(128).fill(UNKNOWN)
    const known = table[code]
    if (known !== UNKNOWN) return known === 1
    const holds = test(code)
    table[code] = holds ? 1 : 0
    return holds
  }
}
