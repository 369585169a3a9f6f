import { join } from 'node:path'
import { takeLock } from '../process/take-lock.ts'

/** Another supervisor works on the same run directory. */
export class AlreadyRunningError extends Error {
  constructor(runDir: string, pid: number) {
    super(
      `Berth already runs on ${runDir} (process ${pid}). Stop that one first (kill ${pid}), or give this one its own [paths] and ports in another configuration: npm start -- --config FILE`,
    )
    this.name = 'AlreadyRunningError'
  }
}

/** Makes this process the only supervisor of a run directory. Answers how to give that back. */
export const takeRunLock = (runDir: string): (() => void) =>
  takeLock(join(runDir, 'supervisor.pid'), (pid) => new AlreadyRunningError(runDir, pid))
