import { spend, type Matcher, type Matching } from './matching.ts'
import { otherCase } from './pattern-classes.ts'
import type { PatternNode } from './pattern-node.ts'

/** The test of a node that matches exactly one character; null for others. */
export const singleTest = (node: PatternNode): ((code: number) => boolean) | null => {
  if (node.kind === 'set') return node.has
  if (node.kind === 'any') return node.dotAll ? () => true : (code) => code !== 10
  if (node.kind === 'group' && node.index === null) return singleTest(node.body)
  if (node.kind !== 'char') return null
  const { code } = node
  const other = node.noCase ? otherCase(code) : code
  return (given) => given === code || given === other
}

/** Repeats one character's test without a stack: most repetitions are of this kind. */
export const repeatSingle = (
  test: (code: number) => boolean,
  { min, max, lazy }: { min: number; max: number; lazy: boolean },
  next: Matcher,
): Matcher => {
  const fits = (at: number, m: Matching): boolean => {
    spend(m.budget, 1)
    return at < m.text.length && test(m.text.charCodeAt(at))
  }
  if (lazy) {
    return (at, m) => {
      let end = at
      for (; end - at < min; end++) if (!fits(end, m)) return false
      for (; ; end++) {
        if (next(end, m)) return true
        if (end - at >= max || !fits(end, m)) return false
      }
    }
  }
  return (at, m) => {
    let end = at
    while (end - at < max && fits(end, m)) end++
    for (; end - at >= min; end--) if (next(end, m)) return true
    return false
  }
}
