import { readdir, readFile, stat } from 'node:fs/promises'
import { endAll } from './end-all.ts'

/** What stands for a directory; null: it is not there. */
const directoryOf = async (path: string): Promise<string | null> => {
  try {
    const { dev, ino } = await stat(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

const rootOf = (pid: number | 'self') => directoryOf(`/proc/${pid}/root/`)

const uidOf = async (pid: number): Promise<number | null> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  if (/^State:\s+[ZX]/m.test(status)) return null
  // The second is the effective one.
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1]
  return uid === undefined ? null : Number(uid)
}

/** Processes of these users whose root directory is another one than ours: who is in a jail. */
const sessionsOf = async (uids: ReadonlySet<number>, jail: string | null): Promise<number[]> => {
  const own = await rootOf('self')
  const only = jail === null ? null : await directoryOf(jail)
  if (jail !== null && only === null) return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const uid = await uidOf(pid)
      if (uid === null || !uids.has(uid)) return null
      const root = await rootOf(pid)
      return root === null || root === own || (only !== null && root !== only) ? null : pid
    }),
  )
  return found.filter((pid) => pid !== null)
}

/**
 * Ends the sessions of these users, all or those in that jail. Their jails go or are gone, and in one without
 * its home a client is told that there are no files, which it may believe.
 */
export const endSessions = (uids: ReadonlySet<number>, jail: string | null = null): Promise<void> =>
  endAll(() => sessionsOf(uids, jail))
