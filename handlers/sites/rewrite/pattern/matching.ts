/** What matching may still cost; shared by everything that is done for one request. */
export interface StepBudget {
  left: number
}

/** A match under way. */
export interface Matching {
  text: string
  /** Start and end of each group, -1 where it took no part. */
  captures: number[]
  /** Where groups that are not closed yet began. */
  opened: number[]
  counts: number[]
  starts: number[]
  end: number
  depth: number
  readonly budget: StepBudget
}

/** Whether the rest of a pattern matches from `at` on. */
export type Matcher = (at: number, m: Matching) => boolean

/** A match that cost more than it may. */
export class PatternLimit extends Error {
  constructor() {
    super('a pattern takes too many steps')
    this.name = 'PatternLimit'
  }
}

/**
 * Takes steps from a budget. One step is one node entered, one character compared or
 * copied, or one place of a capture copied. Throws `PatternLimit` when nothing is left.
 */
export const spend = (budget: StepBudget, steps: number): void => {
  if ((budget.left -= steps) < 0) throw new PatternLimit()
}
