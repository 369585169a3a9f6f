import { expect, test } from 'vitest'
import { sampled, WHOLE } from '#test/support/sampled.ts'
import { MUTANTS, tryMutant } from '../../scripts/mutants/mutants.mjs'

// Whether the tests of turns, fronts and strict purges bite: each is run without what it is about.
for (const mutant of sampled('mutants', MUTANTS, { keep: 1 }))
  test(`it is noticed where ${mutant.name}`, () => {
    const { noticed, output } = tryMutant(mutant)
    expect(noticed, output).toBe(true)
    // A test that could not pass at all would notice everything.
    if (!WHOLE) return
    const whole = tryMutant(mutant, { isWhole: true })
    expect(whole.passed, whole.output).toBe(true)
  }, 600_000)
