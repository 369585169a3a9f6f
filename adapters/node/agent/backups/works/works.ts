import { diskFull, isAppError } from '#handlers/errors.ts'
import type { BackupProgress, RestoredFiles } from '#handlers/ports/host/backups/backups.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Report } from './report.ts'

const KEEP_MS = 3_600_000

interface Work<Result> {
  progress: BackupProgress<Result>
  /** Resolves when the progress is final. */
  ended: Promise<void>
}

const UNKNOWN: BackupProgress<never> = {
  state: 'unknown',
  step: '',
  detail: '',
  percent: 0,
  result: null,
  error: null,
}
const FAULT = 'The host met an unexpected error. Its cause is in the agent log.'

/** Pieces of work that outlast a call, by their ids; a finished one is remembered for an hour. */
export const createWorks = <Result>(
  log: Log,
  waitMs: number,
  explain: (error: unknown) => unknown = (error) => diskFull(error) ?? error,
) => {
  const works = new Map<string, Work<Result>>()
  return {
    /** Begins it, unless it was begun before. */
    start(
      id: string,
      run: (report: Report, tell: (restored: RestoredFiles) => void) => Promise<Result | null>,
    ): void {
      if (works.has(id)) return
      const progress: BackupProgress<Result> = { ...UNKNOWN, state: 'running' }
      const report: Report = (step, detail, percent) =>
        void Object.assign(progress, { step, detail, percent: Math.round(percent) })
      const ended = run(report, (restored) => void Object.assign(progress, { restored })).then(
        (result) => void Object.assign(progress, { state: 'done', percent: 100, result }),
        (thrown: unknown) => {
          const error = explain(thrown)
          const known = isAppError(error)
          log.error('work on a backup failed', {
            work: id,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
            cause: error instanceof Error ? String(error.cause ?? '') : '',
          })
          const told = known
            ? {
                status: error.status,
                message: error.message,
                ...(error.field === undefined ? {} : { field: error.field }),
              }
            : { status: 500, message: FAULT }
          Object.assign(progress, { state: 'failed', error: told })
        },
      )
      works.set(id, { progress, ended })
      void ended.then(() => setTimeout(() => works.delete(id), KEEP_MS).unref())
    },
    async wait(id: string): Promise<BackupProgress<Result>> {
      const work = works.get(id)
      if (!work) return { ...UNKNOWN }
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs)
      })
      await Promise.race([work.ended, late])
      clearTimeout(timer)
      return { ...work.progress }
    },
    /** Resolves when nothing runs. */
    async idle(): Promise<void> {
      await Promise.all([...works.values()].map(({ ended }) => ended))
    },
  }
}
