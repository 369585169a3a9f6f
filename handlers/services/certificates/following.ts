import { conflict } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'

/** How work that takes long is followed and ended. */
export interface Following {
  report?: Report
  /** Ends the work before its next step; what was begun is undone. */
  signal?: AbortSignal
}

/** To be called before each step; throws 409 when the work was ended. */
export const beginStep = (
  { report, signal }: Following,
  step: string,
  detail: string,
  percent: number,
): void => {
  if (signal?.aborted) throw conflict('The work was cancelled; what was begun is undone.')
  report?.(step, detail, percent)
}
