import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { copyServerStore } from '../store/copy/copy-server-store.ts'
import { orderStore } from '../store/copy/order-store.ts'
import { panelFile, panelStorePlace } from '../store/open-panel-store.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

/** Backups of earlier upgrades that are kept. */
const KEPT = 5

const PANEL_DATABASE = 'panel/panel.db'
/** Files that hold what cannot be made again, below `state_dir`. */
const databaseFiles = ({ panel }: ServerConfig): string[] =>
  panel.store === null ? [PANEL_DATABASE, 'agent/registry.db'] : ['agent/registry.db']
/** In a backup, of the panel's records where they are in PostgreSQL. */
const SERVER_COPY = 'panel/postgresql.db'

/** State and settings as they were before an upgrade. Root alone may enter it. */
export interface StateBackup {
  directory: string
  /** Databases in it, by their path below `state_dir`. */
  databases: readonly string[]
  /** Whether it has the panel's records from PostgreSQL. */
  fromServer: boolean
}

const backupsOf = ({ paths }: ServerConfig): string => join(paths.state_dir, 'upgrades')

/** A database file and the log beside it, which may hold its last writes. */
const parts = (file: string): string[] => [file, `${file}-wal`].filter((name) => existsSync(name))

/** Merges the log into the copied database and reads the whole of it. */
const settleCopy = (file: string): void => {
  const db = new Database(file)
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok') throw new Error(`the copy of ${file} is damaged: ${String(verdict)}`)
  } finally {
    db.close()
  }
}

/**
 * Copies the databases and the directory of the configuration (with its secrets)
 * and reads the copies back. Nothing may write to them meanwhile: the caller has
 * stopped Berth. The originals are only read, not opened by SQLite, which would
 * leave files of root's in the panel's directory.
 */
export const takeStateBackup = async (
  config: ServerConfig,
  nowMs: number,
): Promise<StateBackup> => {
  const root = backupsOf(config)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  chmodSync(root, 0o700)
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')
  const directory = join(root, stamp)
  mkdirSync(directory, { mode: 0o700 })
  const databases: string[] = []
  for (const name of databaseFiles(config)) {
    const file = join(config.paths.state_dir, name)
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue
    const copy = join(directory, name)
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 })
    for (const part of parts(file))
      copyFileSync(part, copy + part.slice(file.length), constants.COPYFILE_EXCL)
    settleCopy(copy)
    databases.push(name)
  }
  const fromServer = config.panel.store !== null
  if (fromServer) {
    mkdirSync(dirname(join(directory, SERVER_COPY)), { recursive: true, mode: 0o700 })
    await copyServerStore(config, join(directory, SERVER_COPY))
  }
  cpSync(dirname(config.file), join(directory, 'config'), { recursive: true })
  const old = readdirSync(root).sort().reverse().slice(KEPT)
  for (const name of old) rmSync(join(root, name), { recursive: true, force: true })
  return { directory, databases, fromServer }
}

/** Puts the records on PostgreSQL back as they were, in one transaction, with the schema that they had. */
const putServerBack = async (config: ServerConfig, backup: StateBackup): Promise<void> => {
  const place = panelStorePlace(config)
  if ('file' in place) return
  const directory = dirname(panelFile(config))
  const file = join(directory, `.put-back-${process.pid}.db`)
  const { uid, gid } = lstatSync(directory)
  try {
    copyFileSync(join(backup.directory, SERVER_COPY), file, constants.COPYFILE_EXCL)
    chownSync(file, uid, gid)
    await orderStore({ action: 'put', directory, file, server: place })
  } catch (error) {
    throw new Error(
      `the records in PostgreSQL could not be put back, and nothing was put back: ${error instanceof Error ? error.message : String(error)}. They are kept in ${join(backup.directory, SERVER_COPY)}`,
      { cause: error },
    )
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  }
}

/** Puts the databases back as they were, with their owners and modes. Berth is stopped. */
export const putStateBack = async (config: ServerConfig, backup: StateBackup): Promise<void> => {
  // First, since it alone may fail.
  if (backup.fromServer) await putServerBack(config, backup)
  for (const name of backup.databases) {
    const file = join(config.paths.state_dir, name)
    const directory = lstatSync(dirname(file))
    const temporary = join(config.paths.state_dir, `.put-back-${process.pid}`)
    copyFileSync(join(backup.directory, name), temporary, constants.COPYFILE_EXCL)
    chownSync(temporary, directory.uid, directory.gid)
    chmodSync(temporary, 0o600)
    // A log that belongs to the newer database would be applied to the older one.
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    renameSync(temporary, file)
  }
}
