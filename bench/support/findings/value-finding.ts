import type { Bar, Finding, Unit } from './row.ts'
import { spread } from './spread.ts'

/** A line for values that stand for themselves, not beside another server's. */
export const valueFinding = (
  row: string,
  work: string,
  measure: string,
  unit: Unit,
  bar: Bar | null,
  values: readonly number[],
): Finding => ({ row, work, against: '', measure, unit, bar, values: spread(values) })

/** Milliseconds that `work` takes. */
export const timeMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
