import type { OperationKind } from '../journal/journal.ts'

/** Does nothing: its end tells that a job failed as often as its owner wanted to be told. */
export const CRON_FAILED = 'cron.failed'

/** How operations on cron jobs are settled. */
export const cronOperationKinds = (): OperationKind[] => [
  { kind: CRON_FAILED, settle: 'finish', steps: () => [] },
]
