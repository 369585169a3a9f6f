import type { Background } from '#handlers/ports/jobs.ts'
import type { Log } from '#handlers/ports/log.ts'

/** Work beside the requests, with a way to wait for it before the process ends. */
export interface PanelBackground extends Background {
  /** Resolves when nothing runs, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>
}

export const createBackground = (log: Log): PanelBackground => {
  const running = new Set<Promise<void>>()
  return {
    run(name, work) {
      const job: Promise<void> = work()
        .catch((error: unknown) =>
          log.error('background work failed', {
            work: name,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
          }),
        )
        .finally(() => running.delete(job))
      running.add(job)
    },
    async drain(timeoutMs) {
      const late = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs).unref())
      await Promise.race([Promise.allSettled([...running]), late])
    },
  }
}
