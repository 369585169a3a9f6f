import { open, copyFile, rm, stat, lstat } from 'node:fs/promises'
import Database from 'better-sqlite3'

/** Changes whenever the log begins anew, and with it whatever an earlier copy of it may lack. */
const LOG_HEADER_BYTES = 32
const ATTEMPTS = 20

/** What tells whether main file and log still belong together. */
const stampOf = async (file: string): Promise<{ log: string | null; main: string }> => {
  const { ino, size, mtimeNs } = await stat(file, { bigint: true })
  const main = `${ino}:${size}:${mtimeNs}`
  const handle = await open(`${file}-wal`).catch(() => null)
  if (handle === null) return { log: null, main }
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOG_HEADER_BYTES), 0, undefined, 0)
    const header = bytesRead < LOG_HEADER_BYTES ? null : buffer.toString('hex')
    return { log: header, main }
  } finally {
    await handle.close()
  }
}

/** Merges the copied log into the copy and reads all of it. */
const settle = (copy: string): void => {
  const db = new Database(copy)
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.pragma('journal_mode = DELETE')
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok') throw new Error(`the copy of a database is damaged: ${String(verdict)}`)
  } finally {
    db.close()
  }
}

/**
 * Copies an SQLite database in WAL mode as of one moment, while another process
 * holds it locked for itself and writes: both files are only read. Main file first,
 * log after it: what a checkpoint moves meanwhile stands in the log as well, until
 * the log begins anew, which its header tells; then the copy is made again.
 */
export const copyDatabase = async (file: string, copy: string): Promise<void> => {
  if ((await lstat(`${file}-journal`).catch(() => null)) !== null)
    throw new Error(`${file} has a rollback journal, but is expected to be in WAL mode`)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    for (const part of [copy, `${copy}-wal`]) await rm(part, { force: true })
    const before = await stampOf(file)
    await copyFile(file, copy)
    if (before.log !== null)
      await copyFile(`${file}-wal`, `${copy}-wal`).catch((error: unknown) => {
        // Its last user has gone, with the log; the next attempt finds it so.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      })
    const after = await stampOf(file)
    if (before.log !== after.log || (before.log === null && before.main !== after.main)) continue
    settle(copy)
    return
  }
  throw new Error(
    `${file} is written to so much that it cannot be copied. Stop Berth, then export.`,
  )
}
