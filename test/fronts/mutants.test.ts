import { expect, test } from 'vitest'
import { WHOLE } from '#test/support/sampled.ts'
import { MUTANTS, tryMutant } from '../../scripts/mutants/mutants.mjs'

// Whether the tests of fronts and of strict purges bite: each is run without what it is about.
for (const mutant of MUTANTS)
  test(`it is noticed where ${mutant.name}`, ({ skip }) => {
    skip(!WHOLE, 'each runs tests of its own: npm run test:all')
    const { noticed, output } = tryMutant(mutant)
    expect(noticed, output).toBe(true)
  }, 600_000)
