import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatIdentity,
  identifyProcess,
  isSameProcessAlive,
  readIdentityFile,
} from '../process/process-identity.ts'

/** Another supervisor works on the same run directory. */
export class AlreadyRunningError extends Error {
  constructor(runDir: string, pid: number) {
    super(
      `Berth already runs on ${runDir} (process ${pid}). Stop that one first (kill ${pid}), or give this one its own [paths] and ports in another configuration: npm start -- --config FILE`,
    )
    this.name = 'AlreadyRunningError'
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/**
 * Makes this process the only supervisor of a run directory, by a pid file that
 * is linked into place whole. A file left by a killed supervisor is taken over;
 * when two start at once exactly one wins. Answers how to give the lock back.
 */
export const takeRunLock = (runDir: string): (() => void) => {
  const lock = join(runDir, 'supervisor.pid')
  const mine = join(runDir, `.supervisor.pid.${process.pid}`)
  const stale = join(runDir, `.supervisor.stale.${process.pid}`)
  const self = identifyProcess(process.pid)
  if (self === null) throw new Error('/proc is not mounted; Berth needs it.')
  writeFileSync(mine, formatIdentity(self), { mode: 0o644 })
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        linkSync(mine, lock)
        return () => {
          const holder = readIdentityFile(lock)
          if (holder?.pid === self.pid && holder.startTicks === self.startTicks)
            rmSync(lock, { force: true })
        }
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      const holder = readIdentityFile(lock)
      if (holder !== null && isSameProcessAlive(holder))
        throw new AlreadyRunningError(runDir, holder.pid)
      try {
        const seen = holder === null ? null : formatIdentity(holder)
        renameSync(lock, stale)
        // A lock taken between reading and moving is put back.
        if (seen !== null && readFileSync(stale, 'utf8') !== seen) linkSync(stale, lock)
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error
      }
      rmSync(stale, { force: true })
    }
    throw new Error(`The lock ${lock} cannot be taken. Remove it if nothing runs there.`)
  } finally {
    rmSync(mine, { force: true })
  }
}
