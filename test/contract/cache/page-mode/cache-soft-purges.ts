import {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeTag,
  softly,
} from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, html, pieces, type LowerLayer, withLower } from './cache-harness.ts'

const PAGE = 'http://a.test/blog/page'

const SCOPES: [string, PurgeScope[]][] = [
  ['all', purgeAll()],
  ['domain', purgeDomain('a.test')],
  ['path', purgePath('a.test', '/blog/page')],
  ['prefix', purgePrefix('a.test', '/blog/')],
  ['tag', purgeTag('Post-1')],
]

/** Soft purges and purges by prefix; each case with a fresh lower layer. */
export const cacheSoftPurgesContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => {
  const tagged = (body: string) => () => html(body, { 'x-cache-tag': 'post-1' })

  return [
    ...SCOPES.flatMap(([name, scopes]): ContractCase[] => [
      contractCase(
        `soft purge by ${name}: stale in every layer, served while one request refreshes it`,
        withLower(createLower, async (lower) => {
          const harness = createHarness({ l2: lower.source })
          harness.origin = tagged('old')
          await harness.get(PAGE)
          const other = createHarness({ l2: lower.source })
          same((await other.get(PAGE)).xCache, 'HIT', 'promoted')
          for (const worker of [harness, other]) {
            worker.purge(softly(scopes))
            worker.origin = tagged('new')
            same(worker.cache.lookup('a.test', '/blog/page', false), null, 'not hot')
          }
          const late = createHarness({ l2: lower.source })
          late.origin = tagged('new')
          late.purge(softly(scopes))
          same(await late.get(PAGE), { body: 'old', xCache: 'HIT' }, 'from below')
          same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
          await late.idle()
          await harness.idle()
          for (const worker of [harness, other, late]) {
            same(await worker.get(PAGE), { body: 'new', xCache: 'HIT' })
          }
        }),
      ),
      contractCase(
        `soft purge by ${name} during a fill: the page from before is stale at once`,
        withLower(createLower, async (lower) => {
          const harness = createHarness({ l2: lower.source })
          const body = pieces()
          harness.origin = () => html(body.stream, { 'x-cache-tag': 'post-1' })
          const response = await harness.ask(PAGE)
          body.send('old')
          harness.purge(softly(scopes))
          body.end()
          same(await response.text(), 'old')
          harness.origin = tagged('new')
          same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
          await harness.idle()
          same(await harness.get(PAGE), { body: 'new', xCache: 'HIT' })
        }),
      ),
      contractCase(
        `a purge by ${name} after a soft one makes the page absent`,
        withLower(createLower, async (lower) => {
          const harness = createHarness({ l2: lower.source })
          harness.origin = tagged('old')
          await harness.get(PAGE)
          harness.purge(softly(scopes))
          harness.purge(scopes)
          harness.origin = tagged('new')
          same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
        }),
      ),
    ]),
    contractCase(
      'a soft purge of a page that must be revalidated makes it absent',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        harness.origin = () => html('old', { 'cache-control': 'max-age=60, must-revalidate' })
        await harness.get(PAGE)
        harness.purge(softly(purgeAll()))
        harness.origin = () => html('new')
        same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
      }),
    ),
    contractCase(
      'a softly purged page stands in for an error until it would have expired',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        harness.origin = () => html('old', { 'cache-control': 'max-age=60' })
        await harness.get(PAGE)
        harness.purge(softly(purgeAll()))
        harness.origin = () => new Response('broken', { status: 500 })
        same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
        await harness.idle()
        same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
        harness.nowMs += 60_000
        same((await harness.ask(PAGE)).status, 500)
      }),
    ),
    contractCase(
      'a soft purge leaves other pages fresh',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        await harness.get('http://a.test/blog')
        await harness.get('http://b.test/blog/page')
        harness.purge(softly(purgePrefix('a.test', '/blog/')))
        harness.purge(softly(purgeTag('post-1')))
        holds(harness.cache.lookup('a.test', '/blog', false) !== null, 'beside the prefix')
        holds(harness.cache.lookup('b.test', '/blog/page', false) !== null, 'another host')
      }),
    ),
    contractCase(
      'a prefix hits every page below it, of every scheme and variant, however it is written',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        const rule = { mobile_variant: true }
        const phone = { rule, headers: { 'user-agent': 'x Mobile' } }
        const pages = ['http://a.test/日本/x', 'https://a.test/日本/x', 'http://a.test/日本/']
        for (const url of pages) {
          await harness.get(url)
          await harness.get(url, phone)
        }
        await harness.get('http://a.test/日')
        for (const prefix of ['/日本/', '/%E6%97%A5%E6%9C%AC/']) {
          harness.purge(purgePrefix('a.test', prefix))
          for (const url of pages) {
            same((await harness.get(url)).xCache, 'MISS', `${url} by ${prefix}`)
            same((await harness.get(url, phone)).xCache, 'MISS', `phone ${url} by ${prefix}`)
          }
        }
        same((await harness.get('http://a.test/日')).xCache, 'HIT')
      }),
    ),
    contractCase(
      'purging a page by its path hits all its variants',
      withLower(createLower, async (lower) => {
        const harness = createHarness({ l2: lower.source })
        const phone = {
          rule: { mobile_variant: true },
          headers: { 'user-agent': 'x Mobile' },
        }
        await harness.get(PAGE, phone)
        harness.purge(purgePath('a.test', '/blog/page'))
        same((await harness.get(PAGE, phone)).xCache, 'MISS')
      }),
    ),
  ]
}
