import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import {
  PAGE,
  TEXT,
  encodedPage,
  encodedText,
  encodingHarness,
  holdEncoder,
} from './cache-encoding-harness.ts'
import { html, type LowerLayer, withLower } from './cache-harness.ts'
import { purgeDomain, REVALIDATE_HEADER } from '#edge-cache/index.ts'

const coded = (text: string, coding: string): Response => html(text, { 'content-encoding': coding })

/** When and where encoded bodies are made, kept and given up. */
export const cacheEncodingsContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  contractCase('encoding: the miss goes out as it came, before anything is encoded', async () => {
    const harness = encodingHarness()
    const open = holdEncoder(harness)
    for (const xCache of ['MISS', 'HIT']) {
      const answer = await harness.accept('gzip, br')
      same(answer.headers.get('x-cache'), xCache)
      same(answer.headers.get('content-encoding'), null)
      same(await answer.text(), TEXT)
    }
    open()
    await harness.idle()
    same(await (await harness.accept('gzip, br')).text(), encodedText(TEXT, 'br'))
    same(harness.encoder.asked, ['gzip', 'br'])
    same(harness.seen.length, 1, 'requests to the origin')
    same(harness.seen[0]?.headers.get('accept-encoding'), null)
  }),
  contractCase('encoding: an edited page is seen at once in every coding', async () => {
    const harness = encodingHarness()
    let text = TEXT
    let version = 1
    harness.origin = (request) =>
      request.headers.get('if-none-match') === `"${version}"`
        ? new Response(null, { status: 304 })
        : html(text, { etag: `"${version}"`, [REVALIDATE_HEADER]: '1' })
    const hot = () => harness.cache.lookup('a.test', '/page', false, 'gzip')
    await harness.get(PAGE)
    await harness.idle()
    holds(hot() !== null, 'hot within the second, though another object')
    same(harness.seen.length, 1)
    harness.nowMs += 1000
    same(hot(), null, 'after the second')
    same(await (await harness.accept('gzip')).text(), encodedText(TEXT, 'gzip'))
    same(harness.seen[1]?.headers.get('if-none-match'), '"1"', "the origin's own tag")
    same(harness.encoder.asked.length, 2, 'encoded once')
    text = TEXT.replaceAll('Jack', 'Jill')
    version = 2
    harness.nowMs += 1000
    same(await (await harness.accept('gzip', { 'if-none-match': 'W/"1"' })).text(), text)
    await harness.idle()
    same(await (await harness.accept('gzip')).text(), encodedText(text, 'gzip'))
  }),
  contractCase(
    'encoding: what does not get smaller stays as it is, and is not tried again',
    async () => {
      const harness = encodingHarness()
      harness.encoder.make = (body) => Promise.resolve(body.slice())
      for (let i = 0; i < 3; i++) {
        const answer = await harness.accept('gzip, br')
        same(answer.headers.get('content-encoding'), null)
        same(answer.headers.get('vary'), null)
        await harness.idle()
      }
      same(harness.encoder.asked, ['gzip', 'br'])
    },
  ),
  contractCase(
    'encoding: an encoder that fails or throws disturbs nobody, and is asked again',
    async () => {
      for (const broken of [
        () => Promise.resolve(null),
        () => Promise.reject(new Error('out of memory')),
      ]) {
        const harness = encodingHarness()
        const { make } = harness.encoder
        harness.encoder.make = broken
        await harness.get(PAGE)
        await harness.idle()
        same((await harness.accept('gzip')).headers.get('content-encoding'), null)
        harness.encoder.make = make
        await harness.idle()
        await harness.accept('gzip')
        await harness.idle()
        same((await harness.accept('gzip')).headers.get('content-encoding'), 'gzip')
      }
    },
  ),
  contractCase(
    'encoding: a purge while encoding stays a purge',
    withLower(createLower, async (lower) => {
      const harness = encodingHarness({ l2: lower.source })
      const open = holdEncoder(harness)
      await harness.get(PAGE)
      harness.purge(purgeDomain('a.test'))
      open()
      await harness.idle()
      same(harness.cache.lookup('a.test', '/page', false), null)
      same((await harness.accept('gzip')).headers.get('x-cache'), 'MISS')
    }),
  ),
  contractCase('encoding: a page that was replaced while encoding keeps its own body', async () => {
    const harness = encodingHarness()
    const open = holdEncoder(harness)
    await harness.get(PAGE)
    harness.purge(purgeDomain('a.test'))
    const second = TEXT.replaceAll('Jack', 'Jill')
    harness.origin = () => html(second)
    await harness.get(PAGE)
    open()
    await harness.idle()
    const answer = await (await harness.accept('gzip')).text()
    holds(answer === second || answer === encodedText(second, 'gzip'), 'the new page')
  }),
  contractCase(
    'encoding: another process finds the encoded bodies in the lower layer',
    withLower(createLower, async (lower) => {
      const first = await encodedPage({ l2: lower.source }, { etag: '"v"' })
      for (const l1 of [true, false]) {
        const other = encodingHarness({ l2: lower.source, l1 })
        for (const coding of ['br', 'gzip'] as const) {
          const answer = await other.accept(coding)
          same(answer.headers.get('x-cache'), 'HIT')
          same(answer.headers.get('content-encoding'), coding)
          same(await answer.text(), encodedText(TEXT, coding))
        }
        same(await (await other.accept(null)).text(), TEXT)
        await other.idle()
        same(other.encoder.asked, [])
      }
      same(first.encoder.asked.length, 2)
    }),
  ),
  contractCase(
    'encoding: a page taken from another process before it was encoded is encoded once',
    withLower(createLower, async (lower) => {
      const first = encodingHarness({ l2: lower.source })
      const open = holdEncoder(first)
      await first.get(PAGE)
      const other = encodingHarness({ l2: lower.source })
      same((await other.accept('gzip')).headers.get('x-cache'), 'HIT')
      open()
      await first.idle()
      await other.idle()
      same((await other.accept('gzip')).headers.get('content-encoding'), 'gzip')
      same(other.encoder.asked, [])
    }),
  ),
  contractCase(
    'encoding: without a memory layer the encoded bodies are kept below',
    withLower(createLower, async (lower) => {
      const harness = await encodedPage({ l2: lower.source, l1: false })
      same((await harness.accept('gzip')).headers.get('content-encoding'), 'gzip')
      same(harness.encoder.asked.length, 2)
    }),
  ),
  contractCase('encoding: encoded bodies count in the bytes of the memory layer', async () => {
    const harness = encodingHarness()
    const open = holdEncoder(harness)
    await harness.get(PAGE)
    const before = harness.layers.stats().l1?.bytes ?? 0
    open()
    await harness.idle()
    const added = encodedText(TEXT, 'gzip').length + encodedText(TEXT, 'br').length
    holds((harness.layers.stats().l1?.bytes ?? 0) - before >= added, 'counted')
    same(harness.layers.stats().l1?.entries, 1)
  }),
  contractCase(
    'encoding: a page that came encoded goes to those who accept it; others ask the origin',
    async () => {
      const harness = encodingHarness()
      harness.origin = (request) =>
        request.headers.get('accept-encoding') === 'br' ? html(TEXT) : coded('zipped', 'gzip')
      same((await harness.accept('gzip')).headers.get('x-cache'), 'MISS')
      await harness.idle()
      same(harness.encoder.asked, [])
      for (const field of ['gzip', 'br, *', 'x-gzip']) {
        const hit = await harness.accept(field)
        same(hit.headers.get('x-cache'), 'HIT', field)
        same(hit.headers.get('content-encoding'), 'gzip')
        same(hit.headers.get('vary'), 'Accept-Encoding')
        same(await hit.text(), 'zipped')
        holds(harness.cache.lookup('a.test', '/page', false, field) !== null, 'hot')
      }
      same(harness.seen.length, 1)
      const other = await harness.accept('br')
      same(await other.text(), TEXT)
      same(other.headers.get('x-cache'), 'MISS')
      same(other.headers.get('cache-status'), 'berth; fwd=bypass; detail=encoding')
      same(harness.cache.counters().bypasses.encoding, 1)
      for (const field of ['br', '', 'gzip;q=0', null]) {
        same(harness.cache.lookup('a.test', '/page', false, field), null, String(field))
      }
      same((await harness.accept('gzip')).headers.get('x-cache'), 'HIT', 'still there')
    },
  ),
]
