import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import {
  createPurgeMarks,
  createSqliteReader,
  createSqliteWriter,
  splitStore,
} from '#edge-cache/index.ts'
import type { LowerLayer } from '#test/contract/cache/page-mode/cache-harness.ts'

const OPTIONS = { limitBytes: 16 * 2 ** 20 }

export interface SqliteLayer extends LowerLayer {
  /** Takes out all entries, as a sweep after the end of their time does. */
  empty(): void
}

/** A layer in a file, written by one connection and read by as many as open it, as workers do. */
export const sqliteLayer = async (): Promise<SqliteLayer> => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-cache-'))
  const file = join(directory, 'cache.db')
  const writing = new Database(file)
  const writer = createSqliteWriter(writing, OPTIONS)
  const readers: Database.Database[] = []
  return {
    source: {
      name: 'sqlite',
      open() {
        const reading = new Database(file, { readonly: true, fileMustExist: true })
        readers.push(reading)
        return splitStore(createSqliteReader(reading, OPTIONS), writer)
      },
    },
    empty() {
      while (writer.sweep(createPurgeMarks(), Number.MAX_SAFE_INTEGER) > 0);
    },
    async dispose() {
      for (const reading of readers) reading.close()
      writing.close()
      await rm(directory, { recursive: true })
    },
  }
}
