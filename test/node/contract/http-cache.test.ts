import { afterAll, beforeAll, describe, it } from 'vitest'
import { mapLayer } from '#test/contract/cache/page-mode/cache-harness.ts'
import { serializedLayer } from '#test/contract/cache/http-mode/harness.ts'
import { httpCacheContract } from '#test/contract/cache/http-mode/http-cache.ts'
import { rfcContract } from '#test/contract/cache/rfc9111/rfc9111.ts'
import { sqliteLayer, type SqliteLayer } from './support/sqlite-layer.ts'

const inMemory = () =>
  Promise.resolve({ source: mapLayer().source, dispose: () => Promise.resolve() })

describe('a virtual host in http mode', () => {
  for (const { name, run } of httpCacheContract(() => Promise.resolve(serializedLayer()))) {
    it(name, run)
  }
})

describe('a shared cache over memory', () => {
  for (const { name, run } of rfcContract(inMemory)) it(name, run)
})

describe('a shared cache over sqlite', () => {
  let layer: SqliteLayer
  beforeAll(async () => {
    layer = await sqliteLayer()
  })
  afterAll(() => layer.dispose())
  // One file for all: making one takes longer than a case.
  const emptied = () =>
    Promise.resolve({ source: layer.source, dispose: () => Promise.resolve(layer.empty()) })
  for (const { name, run } of rfcContract(emptied)) it(name, run)
})
