import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'

/** `f_type` of tmpfs (statfs(2)). */
const TMPFS = 0x01021994
/** Others live on that file system as well: so many times the room that is needed has to be free. */
const ROOM = 2

/**
 * Where the store in shared memory may lie, best first. The supervisor makes the first
 * one; the second lies where every account may write, under a name of this instance.
 */
export const memoryDirectories = ({ run_dir: runDir }: Pick<PathsConfig, 'run_dir'>): string[] => {
  const instance = createHash('sha256').update(runDir).digest('hex').slice(0, 12)
  return [join(runDir, 'pages'), `/dev/shm/berth-${instance}`]
}

/** Makes the directory ours alone; throws when it is somebody else's, or no directory. */
const makePrivate = (directory: string): void => {
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // A link or a directory that somebody put there in advance is not followed.
  const found = lstatSync(directory)
  if (!found.isDirectory() || found.uid !== process.geteuid?.())
    throw new Error(`${directory} does not belong to the web server.`)
  if ((found.mode & 0o7777) !== 0o700) chmodSync(directory, 0o700)
}

/** Whether pages there are in memory, and may take `bytes` of it. */
const hasRoom = (directory: string, bytes: number): boolean => {
  const there = existsSync(directory) ? directory : dirname(directory)
  const { type, bavail, bsize } = statfsSync(there)
  return type === TMPFS && bavail * bsize >= ROOM * bytes
}

/**
 * A directory of the web server's own (0700) for `bytes` of pages, in memory where a
 * file system of memory has room for them. `fallback` is one on the disk.
 */
export const memoryDirectory = (
  paths: Pick<PathsConfig, 'run_dir'>,
  bytes: number,
  fallback: string,
  log: Log,
): string => {
  for (const directory of memoryDirectories(paths)) {
    try {
      if (!hasRoom(directory, bytes)) continue
      makePrivate(directory)
      return directory
    } catch {
      // The next one is tried.
    }
  }
  log.warn('no file system in memory has room for the pages that workers share', {
    needed_bytes: ROOM * bytes,
    directory: fallback,
  })
  try {
    makePrivate(fallback)
  } catch {
    // Whoever opens the file there says what is wrong, and tries again.
  }
  return fallback
}
