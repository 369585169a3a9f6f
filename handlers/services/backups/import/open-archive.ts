import type { FailureStatus } from '../../../errors.ts'
import { AppError, unavailable } from '../../../errors.ts'
import type { ArchiveFacts, ArchiveSource } from '../../../ports/host/archived-records.ts'
import type { ImportsPort } from '../../../ports/host/imports.ts'
import type { Report } from '../../../ports/jobs.ts'
import { isFailure } from '../work.ts'

/** Waits for a step that was begun; throws what it failed with. */
export const followImport = async (
  imports: ImportsPort,
  importId: string,
  step: 'open' | 'fill',
  report?: Report,
): Promise<ArchiveFacts> => {
  for (;;) {
    const { state, error, result, ...progress } = await imports.wait({ importId, step })
    if (state === 'done' && result !== null) return result
    if (state === 'running') {
      report?.(progress.step, progress.detail, progress.percent)
      continue
    }
    if (state === 'unknown')
      throw unavailable(
        'The host agent was restarted in the middle of this. What was begun is being undone; try again in a moment.',
      )
    if (error !== null && isFailure(error.status)) {
      const status: FailureStatus = error.status
      throw new AppError(
        status,
        error.message,
        error.field === undefined ? {} : { field: error.field },
      )
    }
    throw new Error(`the host failed at an import: ${error?.message ?? 'no reason given'}`)
  }
}

/** Opens an archive for as long as `work` takes. */
export const withArchive = async <T>(
  imports: ImportsPort,
  source: ArchiveSource,
  work: (facts: ArchiveFacts, importId: string) => Promise<T>,
  report?: Report,
): Promise<T> => {
  const importId = crypto.randomUUID()
  try {
    await imports.open({ importId, source })
    return await work(await followImport(imports, importId, 'open', report), importId)
  } finally {
    // One that stays open is forgotten with the host's next restart.
    await imports.close({ importId }).catch(() => undefined)
  }
}
