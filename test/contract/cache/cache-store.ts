import {
  type CacheStore,
  type createPurgeMarks,
  purgeAll,
  purgeDomain,
  purgePath,
  purgeTag,
} from '#edge-cache/index.ts'
import { cacheEntry, marksOf } from './page-mode/cache-entries.ts'
import { holds, same, type ContractCase } from './page-mode/cache-case.ts'

/** A fresh store bounded to about `limitBytes`. */
export interface CacheStoreSubject {
  store: CacheStore
  dispose(): Promise<void>
}

const allBytes = (): Uint8Array<ArrayBuffer> => Uint8Array.from({ length: 256 }, (_, i) => i)

/** Sweeps until nothing more goes; a store does a bounded amount per call. */
const sweepAll = async (
  store: CacheStore,
  marks: ReturnType<typeof createPurgeMarks>,
  nowMs: number,
): Promise<number> => {
  let removed = 0
  for (let round = 0; round < 50; round++) removed += await store.sweep(marks, nowMs)
  return removed
}

/** What every layer of the page cache keeps to. */
export const cacheStoreContract = (
  create: (options: { limitBytes: number }) => Promise<CacheStoreSubject>,
  /** A store that bounds many parts by themselves is asked with a bound so many times larger. */
  times = 1,
): ContractCase[] => {
  const withStore =
    (work: (store: CacheStore) => Promise<void>, limitBytes = 8 * 2 ** 20) =>
    async (): Promise<void> => {
      const subject = await create({ limitBytes })
      try {
        await work(subject.store)
      } finally {
        await subject.dispose()
      }
    }
  const one = cacheEntry('a.test', '/')

  return [
    {
      name: 'answers null for what it does not have',
      run: withStore(async (store) => {
        same(await store.get(one.key), null)
        await store.delete(one.key)
        same(store.stats().entries, 0)
      }),
    },
    {
      name: 'gives back every field, repeated headers and all bytes',
      run: withStore(async (store) => {
        const entry = cacheEntry('a.test', '/x', {
          headers: [
            ['content-type', 'text/html'],
            ['link', '</a>; rel=preload'],
            ['link', '</b>; rel=preload'],
            ['x-name', 'Grüße "quoted", comma'],
          ],
          body: allBytes(),
          tags: ['host:a.test', 'host:b.test', 'post-1'],
          etag: '"abc"',
          lastModified: 'Wed, 21 Oct 2015 07:28:00 GMT',
          sequence: 7,
          revalidateSecs: 1,
          encodings: [
            { coding: 'gzip', body: allBytes().slice(3) },
            { coding: 'br', body: allBytes().slice(7) },
          ],
        })
        await store.put(entry)
        const got = await store.get(entry.key)
        holds(got !== null, 'the entry is there')
        for (const field of Object.keys(entry) as (keyof typeof entry)[]) {
          same(got?.[field], entry[field], field)
        }
      }),
    },
    {
      name: 'tells hosts, schemes and non-ASCII paths apart',
      run: withStore(async (store) => {
        const paths = ['/日本', '/中国', '/%E6%97%A5', '/a%2Fb', '/a/b', '/A/b', '/a//b']
        const entries = paths.flatMap((path) => [
          cacheEntry('a.test', path),
          cacheEntry('b.test', path),
        ])
        for (const entry of entries) await store.put(entry)
        same(store.stats().entries, entries.length)
        for (const entry of entries) {
          same((await store.get(entry.key))?.body, entry.body, entry.key.id)
        }
      }),
    },
    {
      name: 'replaces an entry without counting it twice',
      run: withStore(async (store) => {
        await store.put(one)
        await store.put({ ...one, body: allBytes() })
        same((await store.get(one.key))?.body, allBytes())
        same(store.stats().entries, 1)
      }),
    },
    {
      name: 'deletes one entry only',
      run: withStore(async (store) => {
        const other = cacheEntry('a.test', '/other')
        await store.put(one)
        await store.put(other)
        await store.delete(one.key)
        same(await store.get(one.key), null)
        holds((await store.get(other.key)) !== null, 'the other one stays')
        same(store.stats().entries, 1)
      }),
    },
    {
      name: 'stays within its limit and keeps the newest; what was evicted can come again',
      run: withStore(
        async (store) => {
          const all = 200 * times
          const body = new Uint8Array(20_000).fill(65)
          for (let i = 0; i < all; i++) await store.put(cacheEntry('a.test', `/${i}`, { body }))
          const stats = store.stats()
          holds(stats.bytes <= stats.limitBytes * 1.1, `${stats.bytes} of ${stats.limitBytes}`)
          holds(stats.entries > 5 * times && stats.entries < 60 * times, `${stats.entries} entries`)
          holds(
            (await store.get(cacheEntry('a.test', `/${all - 1}`).key)) !== null,
            'the newest is there',
          )
          same(await store.get(cacheEntry('a.test', '/0').key), null, 'the oldest')
          await store.put(cacheEntry('a.test', '/0', { body }))
          holds((await store.get(cacheEntry('a.test', '/0').key)) !== null, 'it came back')
          // Everything that is still there can be taken out again: nothing is stuck.
          for (let i = 0; i < all; i++) await store.delete(cacheEntry('a.test', `/${i}`).key)
          same(store.stats().entries, 0)
        },
        times * 2 ** 20,
      ),
    },
    {
      name: 'leaves out an entry that would fill the store by itself',
      run: withStore(async (store) => {
        await store.put(one)
        const body = new Uint8Array(2 ** 20)
        await store.put(cacheEntry('a.test', '/huge', { body }))
        same(await store.get(cacheEntry('a.test', '/huge').key), null)
        holds((await store.get(one.key)) !== null, 'the small one stays')
      }, 2 ** 20),
    },
    ...[
      { name: 'everything', scopes: purgeAll(), gone: ['/', '/post', '/b'] },
      { name: 'a domain', scopes: purgeDomain('a.test'), gone: ['/', '/post'] },
      { name: 'a tag', scopes: purgeTag('POST-1'), gone: ['/post'] },
      { name: 'a page', scopes: purgePath('a.test', '/post'), gone: ['/post'] },
    ].map(({ name, scopes, gone }) => ({
      name: `sweeps what a purge of ${name} killed, and nothing younger`,
      run: withStore(async (store) => {
        const entries = [
          cacheEntry('a.test', '/'),
          cacheEntry('a.test', '/post', { tags: ['host:a.test', 'post-1'] }),
          cacheEntry('b.test', '/b'),
        ]
        const young = cacheEntry('a.test', '/young', {
          tags: ['host:a.test', 'post-1'],
          sequence: 1,
        })
        for (const entry of [...entries, young]) await store.put(entry)
        same(await sweepAll(store, marksOf(scopes), 2_000), gone.length)
        for (const entry of entries) {
          same((await store.get(entry.key)) === null, gone.includes(entry.key.path), entry.key.path)
        }
        holds((await store.get(young.key)) !== null, 'the entry filled after the purge stays')
      }),
    })),
    {
      name: 'sweeps what expired',
      run: withStore(async (store) => {
        await store.put(one)
        await store.put(cacheEntry('a.test', '/late', { expiresAtMs: 2_000_000 }))
        same(await sweepAll(store, marksOf(), one.expiresAtMs), 1)
        same(store.stats().entries, 1)
      }),
    },
    {
      name: 'sweeps a thousand purged entries, in as many rounds as it likes',
      run: withStore(async (store) => {
        const puts = []
        for (let i = 0; i < 1000; i++) puts.push(store.put(cacheEntry('a.test', `/${i}`)))
        await Promise.all(puts)
        await store.put(cacheEntry('b.test', '/'))
        same(await sweepAll(store, marksOf(purgeDomain('a.test')), 2_000), 1000)
        same(store.stats().entries, 1)
      }),
    },
  ]
}
