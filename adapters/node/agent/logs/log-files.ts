import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LogFile } from '#handlers/ports/host/logs.ts'

/** Of rotated files no more are looked at. */
const MAX_ROTATED = 64
/** `access.log.1`, `access.log.2.gz`, `access.log-20261121.gz`. */
const ROTATED = /^[.-]\d{1,8}(?:\.gz)?$/

/** An opened file of a log, the current one or a rotated one. The caller closes `handle`. */
export interface OpenLog {
  handle: FileHandle
  inode: string
  sizeBytes: number
  modifiedMs: number
  /** Whether it is compressed. */
  gzip: boolean
}

/** Finds the files of a log by a table; opens nothing but plain files of whom writes the log. */
export interface LogFiles {
  /** Null where there is none, or something that is no plain file of its writer. */
  current(file: LogFile): Promise<OpenLog | null>
  /** The rotated files, newest first. */
  rotated(file: LogFile): Promise<OpenLog[]>
}

interface Place {
  path: string
  uid: number
}

/** `web` may write to its own directory, so what lies there is opened with care: no links, no pipes, nobody else's files. */
const openPlain = async ({ path, uid }: Place): Promise<OpenLog | null> => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
  let handle: FileHandle
  try {
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' || code === 'ENOTDIR') return null
    throw error
  }
  const stat = await handle.stat({ bigint: true })
  // A second name may be a hard link to a file that its owner never meant as a log.
  if (!stat.isFile() || stat.nlink !== 1n || Number(stat.uid) !== uid) {
    await handle.close()
    return null
  }
  return {
    handle,
    inode: String(stat.ino),
    sizeBytes: Number(stat.size),
    modifiedMs: Number(stat.mtimeMs),
    gzip: path.endsWith('.gz'),
  }
}

/** `webUid` null: everything is written by this process's own user. */
export const createLogFiles = (logDir: string, webUid: number | null): LogFiles => {
  const own = process.geteuid?.() ?? 0
  const ours = (name: string): Place => ({ path: join(logDir, name), uid: own })
  const webs = (name: string): Place => ({ path: join(logDir, 'web', name), uid: webUid ?? own })
  const places: Readonly<Record<LogFile, Place>> = {
    access: webs('access.log'),
    error: webs('error.log'),
    php: webs('php_error.log'),
    hooks: ours('hooks.log'),
    web: ours('web.log'),
    panel: ours('panel.log'),
    agent: ours('agent.log'),
  }
  return {
    current: (file) => openPlain(places[file]),
    async rotated(file) {
      const { path, uid } = places[file]
      const base = path.slice(dirname(path).length + 1)
      const names = await readdir(dirname(path)).catch(() => [])
      const found = names
        .filter((name) => name.startsWith(base) && ROTATED.test(name.slice(base.length)))
        .slice(0, MAX_ROTATED)
      const opened = await Promise.all(
        found.map((name) => openPlain({ path: join(dirname(path), name), uid })),
      )
      return opened
        .filter((one) => one !== null)
        .sort((one, other) => other.modifiedMs - one.modifiedMs)
    },
  }
}
