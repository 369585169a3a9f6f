import { describe, expect, it } from 'vitest'
import { createCacheApiStore } from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { pageCacheContract } from '#test/contract/cache/page-mode/page-cache.ts'
import { cacheStoreContract } from '#test/contract/cache/cache-store.ts'
import { createFakeCacheApi } from '#test/fakes/fake-cache-api.ts'

const nothing = (): Promise<void> => Promise.resolve()

describe('cache store: Cache API', () => {
  const cases = cacheStoreContract((options) =>
    Promise.resolve({
      store: createCacheApiStore(createFakeCacheApi(), options),
      dispose: nothing,
    }),
  )
  for (const { name, run } of cases) it(name, run)

  it('finds what another store has put, and keeps namespaces apart', async () => {
    const api = createFakeCacheApi()
    const options = { limitBytes: 2 ** 20 }
    const entry = cacheEntry('a.test', '/', {
      headers: [
        ['vary', '*'],
        ['set-cookie', 'a=1'],
      ],
    })
    await createCacheApiStore(api, options).put(entry)
    const other = createCacheApiStore(api, options)
    expect(await other.get(entry.key)).toEqual(entry)
    expect(other.stats().entries).toBe(1)
    const apart = createCacheApiStore(api, { ...options, namespace: 'apart' })
    expect(await apart.get(entry.key)).toBeNull()
  })

  it('leaves out what has no address, and an older page that is too large to replace', async () => {
    const store = createCacheApiStore(createFakeCacheApi(), { limitBytes: 2 ** 20 })
    for (const path of [`/${'x'.repeat(9000)}`, '/\ud800']) {
      const entry = cacheEntry('a.test', path)
      await store.put(entry)
      expect(await store.get(entry.key)).toBeNull()
    }
    const small = cacheEntry('a.test', '/')
    await store.put(small)
    await store.put({ ...small, body: new Uint8Array(2 ** 20) })
    expect(await store.get(small.key)).toBeNull()
    expect(store.stats()).toMatchObject({ entries: 0, bytes: 0 })
  })
})

describe('page cache: memory over the Cache API', () => {
  const cases = pageCacheContract(() => {
    const api = createFakeCacheApi()
    const open = () => createCacheApiStore(api, { limitBytes: 16 * 2 ** 20 })
    return Promise.resolve({ source: { name: 'cache-api', open }, dispose: nothing })
  })
  for (const { name, run } of cases) it(name, run)
})
