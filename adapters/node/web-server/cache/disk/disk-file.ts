import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { CacheConfig } from '#edge-cache/config.ts'

/** The file of pages below the workers' memory, as workers are told of it. */
export interface PageFile {
  /** `memory`: it is empty at the start and removed at the end. */
  storage: 'disk' | 'memory'
  file: string
  limitBytes: number
}

/** The layer in texts for people. */
export const diskLayerName = (memory: boolean): string =>
  memory ? 'the cache in shared memory' : 'the disk cache'

/** File of the disk layer; null when the configuration has none. */
export const diskCacheFile = (config: CacheConfig): string | null => {
  const wanted = config.enable && config.l2_enabled && config.storage === 'disk'
  return wanted && config.disk_path !== null ? join(config.disk_path, 'pages.db') : null
}

/** Opens the file for its one writer, with its directory. */
export const openForWriting = (file: string): Database.Database => {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  // SQLite gives its companions the mode that the file has.
  closeSync(openSync(file, 'a', 0o600))
  return new Database(file)
}

/** Opens the file for a worker; throws while its writer has not made it. */
export const openForReading = (file: string): Database.Database =>
  new Database(file, { readonly: true, fileMustExist: true })

/** Removes the database with its companions. */
export const removeDatabase = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
