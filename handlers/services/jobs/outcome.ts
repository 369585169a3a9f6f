import type { JobRow } from '../../ports/jobs.ts'
import type { OperationRow } from '../../ports/store/records.ts'

/** What the plain response of a job would have been, once its operations turn out to be done; throws the failure that it would have been. */
export type Recover = (job: JobRow) => Promise<unknown>

const INTERRUPTED = 'The panel was restarted before this was done.'
/** Of work that consists of more than its operations. */
export const HALF_DONE = `${INTERRUPTED} Some of it was done; start it again.`

/** What became of a job that its panel did not live to end, as its operations in the journal tell. */
export const outcomeOf = (
  { progress }: Pick<JobRow, 'progress'>,
  operations: readonly Pick<OperationRow, 'state'>[],
): 'open' | 'done' | { error: string } => {
  if (operations.length === 0) {
    const what = progress > 0 ? 'It was being done' : 'Nothing was changed'
    return { error: `${INTERRUPTED} ${what}; start it again.` }
  }
  if (operations.some(({ state }) => state === 'open')) return 'open'
  if (operations.every(({ state }) => state === 'done')) return 'done'
  return { error: `${INTERRUPTED} What was begun was undone; start it again.` }
}
