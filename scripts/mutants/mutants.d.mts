/** One thing left out, without which a promise does not hold. */
export interface Mutant {
  /** What is left out. */
  name: string
  file: string
  /** Text that stands there once, and what takes its place. */
  from: string
  to: string
  /** The file of tests that must notice, and those of it that are run. */
  test: string
  only: string
}

export const MUTANTS: readonly Mutant[]

/** Makes a copy of the tree, without what the mutant leaves out or whole, and runs the tests there. `noticed`: one failed. */
export const tryMutant: (
  mutant: Mutant,
  options?: { isWhole?: boolean },
) => { noticed: boolean; passed: boolean; output: string }
