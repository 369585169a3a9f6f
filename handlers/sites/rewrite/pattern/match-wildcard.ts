import { spend, type StepBudget } from './matching.ts'

/** A set of characters (`[a-z]`, `[!a]`) as it stands in a pattern. */
interface CharacterSet {
  /** Where it ends, behind its `]`. */
  end: number
  has(character: string): boolean
}

/** The set that begins at `[`; null where none does. A first `]` is one of its characters. */
const setAt = (pattern: string, at: number): CharacterSet | null => {
  if (pattern[at] !== '[') return null
  const isNegative = pattern[at + 1] === '!' || pattern[at + 1] === '^'
  const from = at + (isNegative ? 2 : 1)
  const close = pattern.indexOf(']', from + 1)
  if (close === -1) return null
  const has = (character: string): boolean => {
    for (let one = from; one < close; one++) {
      const low = pattern[one] ?? ''
      const isRange = pattern[one + 1] === '-' && one + 2 < close
      if (isRange) one += 2
      const high = isRange ? (pattern[one] ?? '') : low
      if (character >= low && character <= high) return !isNegative
    }
    return isNegative
  }
  return { end: close + 1, has }
}

/**
 * Whether a text fits a pattern in which `*` stands for any characters, `?` for one and `[a-z]` for
 * one of a set; with `path` none of them stands for a slash (`-fnmatch`). A step for each
 * comparison, with a set one for each of its characters. Throws `PatternLimit`.
 */
export const matchesWildcard = (
  text: string,
  pattern: string,
  { noCase, path }: { noCase: boolean; path: boolean },
  budget: StepBudget,
): boolean => {
  const subject = noCase ? text.toLowerCase() : text
  const wanted = noCase ? pattern.toLowerCase() : pattern
  let at = 0
  let star = -1
  /** Where the characters of the last star begin and end. */
  let held = 0
  let sign = 0
  while (at < subject.length) {
    spend(budget, 1)
    const want = wanted[sign]
    const set = want === '[' ? setAt(wanted, sign) : null
    if (set !== null) spend(budget, set.end - sign)
    const any = want === '?' || (set !== null && set.has(subject[at] ?? ''))
    const fits =
      set !== null || want === '?' ? any && !(path && subject[at] === '/') : want === subject[at]
    if (want === '*') {
      star = sign++
      held = at
    } else if (want !== undefined && fits) {
      at++
      sign = set?.end ?? sign + 1
    } else if (star !== -1 && !(path && subject[held] === '/')) {
      at = ++held
      sign = star + 1
    } else return false
  }
  while (wanted[sign] === '*') sign++
  return sign === wanted.length
}
