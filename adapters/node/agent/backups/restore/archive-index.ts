import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError } from '#handlers/errors.ts'
import type { ArchiveContents } from '#handlers/ports/host/backups/backups.ts'
import type { SnapshotEntry } from '#handlers/ports/host/backups/snapshot-entry.ts'
import type { BackedUpDatabase } from '#handlers/ports/store/records.ts'
import type { ArchiveKeys } from '../records/archive-keys.ts'
import type { TarEntry, TarLimits } from '../../../archives/tar-reader.ts'
import { walkArchive } from '../walk-archive.ts'

/** Indexes of the archives that were looked into last. */
const MAX_INDEXES = 20
const PAGE = 1000
const BATCH = 2000

const SCHEMA = `
  CREATE TABLE entries (
    parent TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
    size INTEGER NOT NULL, mode TEXT NOT NULL, modified_at TEXT NOT NULL,
    PRIMARY KEY (parent, name)
  ) WITHOUT ROWID;
  CREATE TABLE databases (engine TEXT NOT NULL, name TEXT NOT NULL);`
const INSERT = 'INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?)'
const IMPLIED = "INSERT OR IGNORE INTO entries VALUES (?, ?, 'directory', 0, '755', '')"

/** Null: bytes that are no UTF-8, which nobody can choose by its name. */
const textOf = (bytes: string): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return null
  }
}
const split = (name: string): [string, string] => {
  const at = name.lastIndexOf('/')
  return at === -1 ? ['', name] : [name.slice(0, at), name.slice(at + 1)]
}

/** Writes what is in an archive into a new index; the archive is hostile input. */
const build = async (
  file: string,
  index: string,
  { keys, username, limits }: { keys: ArchiveKeys; username: string; limits: TarLimits },
): Promise<void> => {
  const database = new Database(index)
  try {
    database.pragma('journal_mode = OFF')
    database.pragma('synchronous = OFF')
    database.exec(SCHEMA)
    const insert = database.prepare(INSERT)
    const imply = database.prepare(IMPLIED)
    let above = ''
    let pending: TarEntry[] = []
    const write = database.transaction((entries: TarEntry[]) => {
      for (const { name: bytes, type, sizeBytes, mode, mtimeSecs } of entries) {
        const name = textOf(bytes)
        if (name === null) continue
        const [parent, last] = split(name)
        for (let folder = parent; folder !== '' && folder !== above;) {
          const [outer, inner] = split(folder)
          if (imply.run(outer, inner).changes === 0) break
          folder = outer
        }
        above = parent
        const modifiedAt = timestamp(mtimeSecs * 1000)
        insert.run(parent, last, type, sizeBytes, (mode & 0o7777).toString(8), modifiedAt)
      }
    })
    await walkArchive({
      file,
      limits,
      keys,
      home: null,
      onManifest: (manifest) => {
        if (manifest.username !== username)
          throw new AppError(409, 'The archive is a backup of another account.')
        const add = database.prepare('INSERT INTO databases VALUES (?, ?)')
        for (const one of manifest.databases) add.run(one.engine, one.database)
      },
      takes: () => null,
      async onHome(entry) {
        pending.push(entry)
        if (pending.length < BATCH) return
        write(pending)
        pending = []
        await setImmediate()
      },
    })
    write(pending)
  } finally {
    database.close()
  }
}

/** Names in order: how many there are, and the one at `offset`. In slices, since a folder may have millions of entries. */
const countNames = async (
  database: Database.Database,
  directory: string,
  offset: number,
): Promise<{ total: number; first: string | null }> => {
  const slice = database
    .prepare<[string, string], string>(
      `SELECT name FROM entries WHERE parent = ? AND name > ? ORDER BY name LIMIT ${BATCH}`,
    )
    .pluck()
  let total = 0
  let first: string | null = null
  for (let last: string | undefined = ''; last !== undefined; await setImmediate()) {
    const names: string[] = slice.all(directory, last)
    first ??= names[offset - total] ?? null
    total += names.length
    last = names.length < BATCH ? undefined : names.at(-1)
  }
  return { total, first }
}

const read = async (index: string, directory: string, offset: number): Promise<ArchiveContents> => {
  const database = new Database(index, { readonly: true, fileMustExist: true })
  try {
    const [parent, name] = split(directory)
    const folder = database
      .prepare<[string, string], { type: string }>(
        'SELECT type FROM entries WHERE parent = ? AND name = ?',
      )
      .get(parent, name)
    if (directory !== '' && folder?.type !== 'directory')
      throw new AppError(404, `The backup holds no folder "${directory}".`)
    const { total, first } = await countNames(database, directory, offset)
    const entries = database
      .prepare<[string, string | null, number], SnapshotEntry>(
        `SELECT CASE parent WHEN '' THEN name ELSE parent || '/' || name END AS path, type,
           size AS sizeBytes, mode, modified_at AS modifiedAt
         FROM entries WHERE parent = ? AND name >= ? ORDER BY name LIMIT ?`,
      )
      .all(directory, first, PAGE)
    const databases = database
      .prepare<[], BackedUpDatabase>(
        'SELECT engine, name AS "database" FROM databases ORDER BY engine, name',
      )
      .all()
    return { entries, total, databases }
  } finally {
    database.close()
  }
}

/** An archive by its checksum, whose it is, and how its file is had when it must be read. */
export interface IndexedArchive {
  sha256: string
  username: string
  limits: TarLimits
  /** Hands over a file that is the one of the checksum. */
  withFile: (work: (file: string) => Promise<void>) => Promise<void>
}

/**
 * What is in archives, by their checksums: each is read once, into a file of `directory`
 * (ours alone), of which the last ones used are kept.
 */
export const createArchiveIndex = (deps: { directory: string; keys: ArchiveKeys }) => {
  const { directory, keys } = deps
  const building = new Map<string, Promise<void>>()
  /** By account the one that is read last: of its archives one after the other is. */
  const lanes = new Map<string, Promise<void>>()
  const fileOf = (sha256: string): string => path.join(directory, `${sha256}.index`)

  const removeOld = async (): Promise<void> => {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.index'))
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(directory, name)
        return { file, usedMs: (await stat(file).catch(() => null))?.mtimeMs ?? 0 }
      }),
    )
    files.sort((a, b) => b.usedMs - a.usedMs)
    for (const { file } of files.slice(MAX_INDEXES)) await rm(file, { force: true })
  }

  const make = async ({ sha256, username, limits, withFile }: IndexedArchive): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const unfinished = `${fileOf(sha256)}.new`
    await rm(unfinished, { force: true })
    try {
      await withFile((file) => build(file, unfinished, { keys, username, limits }))
      await rename(unfinished, fileOf(sha256))
    } finally {
      await rm(unfinished, { force: true })
    }
    await removeOld()
  }

  return {
    /** Null: it is still being read after `waitMs`. What it fails with is told to those who wait. */
    async contents(
      archive: IndexedArchive,
      { directory: folder, offset }: { directory: string; offset: number },
      waitMs: number,
    ): Promise<ArchiveContents | null> {
      const { sha256 } = archive
      const index = fileOf(sha256)
      if ((await stat(index).catch(() => null)) === null) {
        let work = building.get(sha256)
        if (work === undefined) {
          const { username } = archive
          const before = lanes.get(username) ?? Promise.resolve()
          work = before.then(() => make(archive)).finally(() => building.delete(sha256))
          const over = work.then(
            () => undefined,
            () => undefined,
          )
          lanes.set(username, over)
          void over.then(() => lanes.get(username) === over && lanes.delete(username))
          building.set(sha256, work)
        }
        let timer: NodeJS.Timeout | undefined
        const late = new Promise<'late'>((resolve) => {
          timer = setTimeout(resolve, waitMs, 'late')
        })
        const first = await Promise.race([work, late]).finally(() => clearTimeout(timer))
        if (first === 'late') return null
      }
      const now = new Date()
      await utimes(index, now, now)
      return read(index, folder, offset)
    },
  }
}
