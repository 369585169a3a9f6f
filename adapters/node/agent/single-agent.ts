import Database from 'better-sqlite3'

/**
 * Makes this process the only agent of `runDir`, for as long as it lives: an
 * exclusive SQLite transaction is a file lock that the kernel drops with the
 * process, however it ends, and two that start together cannot both get it.
 */
export const lockRunDirectory = (runDir: string): { release(): void } => {
  // An agent that was just told to stop gets a moment to go.
  const db = new Database(`${runDir}/agent.lock`, { timeout: 5000 })
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
