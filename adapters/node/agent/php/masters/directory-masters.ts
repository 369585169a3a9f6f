import { readdirSync, rmSync } from 'node:fs'
import { noteFile } from '../plans/directory-settings.ts'
import type { MasterPool } from './master-pool.ts'
import { ownerOfName } from './pool-choice.ts'
import type { PhpDirectories } from '../prepare-directories.ts'

/** Masters with settings of directories that one account may have at a time. */
export const MAX_DIRECTORY_MASTERS = 4
/** Files of a master are in use from before its start until after its end. */
const FILES_KEPT_MS = 60_000

/** Which masters run because of settings of directories, and that they stay few. */
export interface DirectoryMasters {
  /**
   * Whether the account may have a master of this name; makes room by stopping
   * the one that was not used for longest, if none of its visitors is left.
   */
  admit(username: string, name: string): boolean
  /** Counts a master that an earlier agent left. */
  adopt(username: string, name: string): void
  has(name: string): boolean
  /** Removes the files of masters that are gone. */
  tidy(): void
}

/** `leastIdleMs`: so long a master counts as used after the web server asked for it. */
export const createDirectoryMasters = (
  pool: Pick<MasterPool, 'unusedMs' | 'dismiss'>,
  directories: PhpDirectories,
  leastIdleMs: number,
): DirectoryMasters => {
  /** By name; `atMs` is when it was last wanted. */
  const known = new Map<string, { username: string; atMs: number }>()

  const removeFiles = (name: string): void => {
    for (const file of [
      noteFile(directories.config, name),
      `${directories.config}/${name}.conf`,
      `${directories.logs}/${name}.log`,
    ])
      rmSync(file, { force: true })
  }
  const runningOf = (username: string): { name: string; unusedMs: number }[] =>
    [...known].flatMap(([name, one]) => {
      if (one.username !== username) return []
      const unusedMs = pool.unusedMs(name)
      return unusedMs === null ? [] : [{ name, unusedMs }]
    })
  const note = (username: string, name: string): void => {
    known.set(name, { username, atMs: performance.now() })
  }

  return {
    admit(username, name) {
      const running = runningOf(username)
      if (running.length >= MAX_DIRECTORY_MASTERS && !running.some((one) => one.name === name)) {
        const [idlest] = running.toSorted((one, other) => other.unusedMs - one.unusedMs)
        if (!idlest || idlest.unusedMs < leastIdleMs || !pool.dismiss(idlest.name)) return false
      }
      note(username, name)
      return true
    },
    adopt: note,
    has: (name) => known.has(name),
    tidy() {
      const now = performance.now()
      for (const [name, { atMs }] of known) {
        if (now - atMs < FILES_KEPT_MS || pool.unusedMs(name) !== null) continue
        known.delete(name)
        removeFiles(name)
      }
      for (const file of readdirSync(directories.config)) {
        const name = file.endsWith('.ini') ? file.slice(0, -4) : ''
        if (ownerOfName(name) !== null && !known.has(name)) removeFiles(name)
      }
    },
  }
}
