import { purgeAll, purgeDomain, purgePath, type PurgeScope, purgeTag } from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import {
  createHarness,
  html,
  mapLayer,
  pieces,
  type LowerLayer,
  withLower,
} from './cache-harness.ts'

const PAGE = 'http://a.test/page'

const SCOPES: [string, PurgeScope[]][] = [
  ['all', purgeAll()],
  ['domain', purgeDomain('a.test')],
  ['path', purgePath('a.test', '/page')],
  ['tag', purgeTag('Post-1')],
]

/** Purges and layers; each case with a fresh lower layer. */
export const cachePurgesContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => {
  const tagged = () => html('old', { 'x-cache-tag': 'post-1, Other' })

  return [
    ...SCOPES.flatMap(([name, scopes]): ContractCase[] => [
      contractCase(
        `purge by ${name} makes the page absent in every layer`,
        withLower(createLower, async (lower) => {
          const harness = createHarness({ l2: lower.source })
          harness.origin = tagged
          await harness.get(PAGE)
          same((await harness.get(PAGE)).xCache, 'HIT')
          harness.purge(scopes)
          same(harness.cache.lookup('a.test', '/page', false), null, 'hot')
          harness.origin = () => html('new')
          same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
          same(await harness.get(PAGE), { body: 'new', xCache: 'HIT' })
        }),
      ),
      contractCase(
        `purge by ${name} during a fill: the page from before is not stored`,
        withLower(createLower, async (lower) => {
          const harness = createHarness({ l2: lower.source })
          const body = pieces()
          harness.origin = () => html(body.stream, { 'x-cache-tag': 'post-1' })
          const response = await harness.ask(PAGE)
          body.send('old')
          harness.purge(scopes)
          body.end()
          same(await response.text(), 'old')
          harness.origin = () => html('new')
          same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
        }),
      ),
      contractCase(
        `purge by ${name} reaches pages that were promoted from the lower layer`,
        withLower(createLower, async (lower) => {
          const first = createHarness({ l2: lower.source })
          first.origin = tagged
          await first.get(PAGE)
          const second = createHarness({ l2: lower.source })
          same((await second.get(PAGE)).xCache, 'HIT', 'promoted')
          holds(second.cache.lookup('a.test', '/page', false) !== null, 'in memory')
          second.purge(scopes)
          second.origin = () => html('new')
          same(await second.get(PAGE), { body: 'new', xCache: 'MISS' })
        }),
      ),
    ]),
    contractCase(
      'a purge leaves other pages alone',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        await harness.get('http://a.test/other')
        await harness.get('http://b.test/page')
        harness.purge(purgePath('a.test', '/page'))
        harness.purge(purgeTag('post-1'))
        harness.purge(purgeDomain('c.test'))
        same((await harness.get('http://a.test/other')).xCache, 'HIT')
        same((await harness.get('http://b.test/page')).xCache, 'HIT')
        harness.purge(purgeDomain('a.test'))
        same((await harness.get('http://b.test/page')).xCache, 'HIT')
        same((await harness.get('http://a.test/other')).xCache, 'MISS')
      }),
    ),
    contractCase(
      'purging the primary domain reaches its aliases, an alias only itself',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        const ask = (host: string) =>
          harness.get(`http://${host}/`, { primaryDomain: 'a.test' }).then(({ xCache }) => xCache)
        await ask('a.test')
        await ask('www.a.test')
        harness.purge(purgeDomain('www.a.test'))
        same([await ask('a.test'), await ask('www.a.test')], ['HIT', 'MISS'])
        harness.purge(purgeDomain('a.test'))
        same([await ask('a.test'), await ask('www.a.test')], ['MISS', 'MISS'])
      }),
    ),
    contractCase('a page is purged by its path however it is written', async () => {
      for (const path of ['/日本', '/%E6%97%A5%E6%9C%AC']) {
        const harness = createHarness()
        await harness.get('http://a.test/日本')
        harness.purge(purgePath('a.test', path))
        same((await harness.get('http://a.test/日本')).xCache, 'MISS', path)
      }
    }),
    contractCase(
      'tags of all headers count, in any case, separated by spaces or commas',
      async () => {
        for (const [name, value, tag] of [
          ['x-cache-tag', 'a, Post-1', 'post-1'],
          ['surrogate-key', 'a post-1  b', 'POST-1'],
          ['cache-tag', 'a,post-1', 'post-1'],
          ['x-litespeed-tag', 'post-1', 'post-1'],
        ] as const) {
          const harness = createHarness()
          harness.origin = () => html('x', { [name]: value })
          await harness.get(PAGE)
          harness.purge(purgeTag(tag))
          same((await harness.get(PAGE)).xCache, 'MISS', name)
        }
      },
    ),
    contractCase(
      'a miss is written through: another worker finds it, a restart too',
      withLower(createLower, async (lower) => {
        const first = createHarness({ l2: lower.source })
        first.origin = () => html('shared', { 'x-a': 'b' })
        await first.get(PAGE)
        const second = createHarness({ l2: lower.source })
        const response = await second.ask(PAGE)
        same(response.headers.get('x-cache'), 'HIT')
        same(response.headers.get('x-a'), 'b')
        same(await response.text(), 'shared')
        same(second.seen.length, 0)
      }),
    ),
    contractCase(
      'the lower layer alone: first MISS, then HIT',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source, l1: false })
        same((await harness.get(PAGE)).xCache, 'MISS')
        same((await harness.get(PAGE)).xCache, 'HIT')
        same(harness.cache.lookup('a.test', '/page', false), null)
      }),
    ),
    contractCase('no layer at all: always MISS', async () => {
      const harness = createHarness({ l1: false })
      same((await harness.get(PAGE)).xCache, 'MISS')
      same((await harness.get(PAGE)).xCache, 'MISS')
    }),
    contractCase('the cache off: no X-Cache, nothing stored', async () => {
      const harness = createHarness({ enabled: false })
      same((await harness.get(PAGE)).xCache, null)
      same((await harness.get(PAGE)).xCache, null)
      same(harness.seen.length, 2)
    }),
    contractCase('a lower layer that was made anew is opened again when told', async () => {
      const { source, opened } = mapLayer()
      const harness = createHarness({ l2: source })
      await harness.get(PAGE)
      harness.layers.reopen()
      await harness.get('http://a.test/later')
      same(opened(), 2)
    }),
    contractCase(
      'a lower layer that breaks is switched off, sites go on, and it comes back',
      async () => {
        const { source, store, opened } = mapLayer()
        let broken = false
        const harness = createHarness({
          l2: {
            ...source,
            open: () => ({
              ...source.open(),
              get: (key) => {
                if (broken) throw new Error('disk I/O error')
                return store.get(key)
              },
            }),
          },
        })
        broken = true
        same((await harness.get(PAGE)).xCache, 'MISS')
        same((await harness.get(PAGE)).xCache, 'HIT', 'memory goes on')
        same(store.stats().entries, 0, 'nothing written while off')
        same(harness.layers.stats().l2, null)
        broken = false
        harness.nowMs += 60_000
        await harness.get('http://a.test/later')
        same(store.stats().entries, 1)
        same(opened(), 2, 'opened anew')
      },
    ),
  ]
}
