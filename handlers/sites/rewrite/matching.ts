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
  /** Counts down; throws when nothing is left. */
  step(): void
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
