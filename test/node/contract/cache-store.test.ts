import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, it } from 'vitest'
import {
  createMemoryStore,
  createSqliteReader,
  createSqliteWriter,
  splitStore,
} from '#edge-cache/index.ts'
import { cacheStoreContract } from '#test/contract/cache/cache-store.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

describe('cache store: memory', () => {
  const cases = cacheStoreContract((options) =>
    Promise.resolve({ store: createMemoryStore(options), dispose: () => Promise.resolve() }),
  )
  for (const { name, run } of cases) it(name, run)
})

describe('cache store: sqlite, read-only reader beside the writer', () => {
  const cases = cacheStoreContract(async (options) => {
    const directory = temporaryDirectory('berth-cache-')
    const file = join(directory, 'cache.db')
    const writing = new Database(file)
    const writer = createSqliteWriter(writing, options)
    const reading = new Database(file, { readonly: true, fileMustExist: true })
    return {
      store: splitStore(createSqliteReader(reading, options), writer),
      async dispose() {
        reading.close()
        writing.close()
      },
    }
  })
  for (const { name, run } of cases) it(name, run)
})
