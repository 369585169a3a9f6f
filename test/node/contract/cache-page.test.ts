import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, it } from 'vitest'
import { createSqliteReader, createSqliteWriter, splitStore } from '#edge-cache/index.ts'
import { mapLayer } from '#test/contract/cache-harness.ts'
import { pageCacheContract } from '#test/contract/page-cache.ts'

const OPTIONS = { limitBytes: 16 * 2 ** 20 }

describe('page cache: memory over memory', () => {
  const cases = pageCacheContract(() =>
    Promise.resolve({ source: mapLayer().source, dispose: () => Promise.resolve() }),
  )
  for (const { name, run } of cases) it(name, run)
})

describe('page cache: memory over sqlite', () => {
  const cases = pageCacheContract(async () => {
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
      async dispose() {
        for (const reading of readers) reading.close()
        writing.close()
        await rm(directory, { recursive: true })
      },
    }
  })
  for (const { name, run } of cases) it(name, run)
})
