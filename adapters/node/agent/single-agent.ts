import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/**
 * Makes this process the only agent of `runDir`, for as long as it lives: an
 * exclusive SQLite transaction is a file lock that the kernel drops with the
 * process, however it ends, and two that start together cannot both get it.
 */
export const lockRunDirectory = (runDir: string): { release(): void } => {
  const file = join(runDir, 'agent.lock')
  // Everybody may enter the directory, and who can read a file can lock it: no tenant may keep the agent away.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  // An agent that was just told to stop gets a moment to go.
  const db = new Database(file, { timeout: 5000 })
  try {
    db.exec('begin exclusive')
  } catch (error) {
    db.close()
    throw new Error(
      `Another agent already works on ${runDir}. Stop it first, or give this instance its own [paths] run_dir.`,
      { cause: error },
    )
  }
  return { release: () => void db.close() }
}
