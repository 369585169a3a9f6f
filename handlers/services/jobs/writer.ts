import type { JobChange } from '../../ports/jobs.ts'

/** Writes the changes of one job in order; what comes faster than it is written goes together. */
export interface JobWriter {
  /** Joined with what waits; of one field the latest counts. */
  put(change: JobChange): void
  /** Resolves when all that was put is written. */
  settled(): Promise<void>
}

/** A change that `write` fails at is lost; it is told by `onFault`. */
export const createJobWriter = (
  write: (change: JobChange) => Promise<void>,
  onFault: (error: unknown) => void,
): JobWriter => {
  let pending: JobChange | null = null
  let writing: Promise<void> | null = null

  const drain = async (): Promise<void> => {
    while (pending !== null) {
      const change: JobChange = pending
      pending = null
      await write(change).catch(onFault)
    }
    writing = null
  }

  return {
    put(change) {
      pending = { ...pending, ...change }
      writing ??= drain()
    },
    settled: async () => {
      await writing
    },
  }
}
