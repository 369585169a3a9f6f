import { chosenBySeed } from '../../scripts/lanes/chosen-by-seed.mjs'

/** Whether everything is run: `npm run test:all`. */
export const WHOLE = process.env['BERTH_TEST_WHOLE'] === '1'

/** Printed at the start of a run and in every failure's command, so that a choice comes back. */
const seed = (): string => process.env['BERTH_TEST_SEED'] ?? '1'

/**
 * Some of a slow matrix: `keep` cases chosen by the run's seed, in their own order;
 * all of them in `npm run test:all`. The choice depends on the name of the matrix
 * and on a case's place alone, so every run with one seed chooses the same.
 *
 * @param name of the matrix, which no other has
 */
export const sampled = <T>(
  name: string,
  cases: readonly T[],
  { keep }: { keep: number },
): readonly T[] => {
  if (WHOLE || cases.length <= keep) return cases
  console.log(`${name}: ${keep} of ${cases.length} cases, seed ${seed()}`)
  return chosenBySeed(seed(), name, cases, keep)
}
