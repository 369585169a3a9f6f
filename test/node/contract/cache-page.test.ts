import { describe, it } from 'vitest'
import { mapLayer } from '#test/contract/cache/page-mode/cache-harness.ts'
import { pageCacheContract } from '#test/contract/cache/page-mode/page-cache.ts'
import { sqliteLayer } from './support/sqlite-layer.ts'

describe('page cache: memory over memory', () => {
  const cases = pageCacheContract(() =>
    Promise.resolve({ source: mapLayer().source, dispose: () => Promise.resolve() }),
  )
  for (const { name, run } of cases) it(name, run)
})

describe('page cache: memory over sqlite', () => {
  for (const { name, run } of pageCacheContract(sqliteLayer)) it(name, run)
})
