import type { FailureStatus } from '../../errors.ts'
import { AppError, unavailable } from '../../errors.ts'
import type {
  BackupFacts,
  BackupProgress,
  BackupWork,
  BackupsPort,
  RestoredFiles,
} from '../../ports/host/backups/backups.ts'
import type { Report } from '../../ports/jobs.ts'

const FAILURES: readonly number[] = [400, 403, 404, 409, 413, 503]
/** Whether the panel answers with that status too. */
const isFailure = (status: number): status is FailureStatus => FAILURES.includes(status)

/** Follows work of the host to its end by asking again and again; throws what it failed with. `what`, for the log: a backup. */
export const followWork = async <Result>(
  wait: () => Promise<BackupProgress<Result>>,
  what: string,
  report?: Report,
): Promise<Result | null> => {
  for (;;) {
    const progress = await wait()
    const { state, error } = progress
    if (state === 'done') return progress.result
    if (state === 'running') {
      report?.(progress.step, progress.detail, progress.percent)
      continue
    }
    if (state === 'unknown')
      throw unavailable(
        'The host agent was restarted in the middle of this. What was begun is being undone; try again in a moment.',
      )
    if (error !== null && isFailure(error.status)) {
      const { status, message, field } = error
      throw new AppError(status, message, field === undefined ? {} : { field })
    }
    throw new Error(`the host failed at ${what}: ${error?.message ?? 'no reason given'}`)
  }
}

/** Has the host do a piece of work and follows it to its end; throws what it failed with. */
export const doBackupWork = async (
  backups: BackupsPort,
  work: BackupWork,
  report?: Report,
): Promise<BackupFacts | null> => {
  await backups.start(work)
  const { operationId } = work
  return followWork(() => backups.wait({ operationId }), 'a backup', report)
}

/** As `doBackupWork`, for a restore; answers what of the home it has brought back. */
export const doRestore = async (
  backups: BackupsPort,
  work: Extract<BackupWork, { kind: 'restore' }>,
  report?: Report,
): Promise<RestoredFiles> => {
  const { operationId } = work
  let restored: RestoredFiles = { files: 0, bytes: 0 }
  await backups.start(work)
  await followWork(
    async () => {
      const progress = await backups.wait({ operationId })
      restored = progress.restored ?? restored
      return progress
    },
    'a restore',
    report,
  )
  return restored
}
