import { lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { at, self } from './at.ts'
import { TEMPORARY_NAME } from './write-file.ts'

/** An upload over a slow link adds a piece more often than that. */
const STALE_MS = 6 * 3_600_000

/** Whether an entry was broken off: an upload whose panel was killed, a copy whose helper was. */
export const isStale = (name: string, stat: { mtimeMs: number }): boolean =>
  TEMPORARY_NAME.test(name) && stat.mtimeMs < Date.now() - STALE_MS

/** Removes files that were broken off in the directory `dirFd` itself; directories are left to the next count of the disk usage. */
export const sweepFiles = (dirFd: number): void => {
  for (const name of readdirSync(self(dirFd))) {
    if (!TEMPORARY_NAME.test(name)) continue
    try {
      const stat = lstatSync(at(dirFd, name))
      if (stat.isFile() && isStale(name, stat)) unlinkSync(at(dirFd, name))
    } catch {
      // removed meanwhile, or not ours to remove: it stays
    }
  }
}
