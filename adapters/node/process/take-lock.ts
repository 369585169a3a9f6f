import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  formatIdentity,
  identifyProcess,
  isSameProcessAlive,
  readIdentityFile,
} from './process-identity.ts'

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/**
 * Makes this process the only holder of a lock, a pid file that is linked into
 * place whole. A file left by a killed holder is taken over; when two start at
 * once exactly one wins. Throws what `busy` makes of a living holder's number.
 * Answers how to give the lock back.
 */
export const takeLock = (lock: string, busy: (pid: number) => Error): (() => void) => {
  const mine = join(dirname(lock), `.${basename(lock)}.${process.pid}`)
  const stale = join(dirname(lock), `.${basename(lock)}.stale.${process.pid}`)
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
      if (holder !== null && isSameProcessAlive(holder)) throw busy(holder.pid)
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
