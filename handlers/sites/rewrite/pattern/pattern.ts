import { compileNode } from './compile-pattern.ts'
import { PatternLimit, spend, type Matching, type StepBudget } from './matching.ts'
import { parsePattern } from './parse-pattern.ts'
import type { PatternNode } from './pattern-node.ts'

export { PatternLimit, spend, type StepBudget } from './matching.ts'
export { PatternError } from './pattern-node.ts'

/** A compiled pattern. */
export interface Pattern {
  /**
   * The groups of the first match, the whole match first, `''` for groups that
   * took no part; null without a match. Throws `PatternLimit` when the budget is
   * used up.
   */
  match(text: string, budget: StepBudget): string[] | null
  /** As `match`, with the index at which the match begins. */
  find(text: string, budget: StepBudget): { at: number; groups: string[] } | null
}

/** Runs a match; one that nests deeper than the stack is one that costs too much. */
const within = (run: () => boolean): boolean => {
  try {
    return run()
  } catch (error) {
    throw error instanceof RangeError ? new PatternLimit() : error
  }
}

const beginsAtStart = (node: PatternNode): boolean => {
  if (node.kind === 'start') return true
  if (node.kind === 'sequence') return node.parts[0] !== undefined && beginsAtStart(node.parts[0])
  if (node.kind === 'group' || node.kind === 'atomic') return beginsAtStart(node.body)
  return node.kind === 'either' && node.options.every(beginsAtStart)
}

/**
 * Compiles a Perl-compatible pattern as Apache understands it. Tenants write
 * these, and JavaScript's own expressions cannot be stopped once they go astray;
 * this matcher counts its steps, so that a catastrophic pattern costs
 * milliseconds and then fails. Throws `PatternError`.
 */
export const compilePattern = (source: string, noCase = false): Pattern => {
  const { node, groups } = parsePattern(source, noCase)
  const slots = { count: 0 }
  let end = 0
  const run = compileNode(
    node,
    (at) => {
      end = at
      return true
    },
    slots,
  )
  const anchored = beginsAtStart(node)
  const find: Pattern['find'] = (text, budget) => {
    // The captures are made here, and read out in the end.
    spend(budget, (groups + 1) * 2)
    const matching: Matching = {
      text,
      captures: new Array<number>((groups + 1) * 2).fill(-1),
      opened: [],
      counts: [],
      starts: [],
      end: 0,
      depth: 0,
      budget,
    }
    const last = anchored ? 0 : text.length
    for (let start = 0; start <= last; start++) {
      spend(budget, 1)
      if (!within(() => run(start, matching))) continue
      const found = [text.slice(start, end)]
      for (let group = 1; group <= groups; group++) {
        const from = matching.captures[group * 2] ?? -1
        found.push(from < 0 ? '' : text.slice(from, matching.captures[group * 2 + 1]))
      }
      return { at: start, groups: found }
    }
    return null
  }
  return { find, match: (text, budget) => find(text, budget)?.groups ?? null }
}
