import { deviceClass, purgeSiteTag } from '#edge-cache/index.ts'
import { same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, html } from './cache-harness.ts'

const PAGE = 'http://a.test/page'
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1'
const DESK = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/130.0'
const LISTED = { rule: { ignore_query_params: ['utm_*', 'fbclid'] } }

/** Device variants, ignored query parameters, content types, LiteSpeed's header, statistics. */
export const cacheVariantsContract = (): ContractCase[] => [
  contractCase(
    'mobile_variant: phones and other clients have pages of their own; off by default',
    async () => {
      const harness = createHarness()
      const echo = (request: Request) =>
        html(deviceClass(request.headers.get('user-agent')), { vary: 'User-Agent' })
      harness.origin = echo
      const ask = (agent: string, mobile_variant: boolean | null = true) =>
        harness.get(PAGE, { headers: { 'user-agent': agent }, rule: { mobile_variant } })
      same(await ask(DESK), { body: 'desktop', xCache: 'MISS' })
      same(await ask(PHONE), { body: 'mobile', xCache: 'MISS' })
      same(await ask(DESK), { body: 'desktop', xCache: 'HIT' })
      same(await ask(PHONE), { body: 'mobile', xCache: 'HIT' })
      same(harness.cache.lookup('a.test', '/page', false), null)
      const hot = harness.cache.lookup('a.test', '/page', false, null, 'a.test', 'mobile')
      same(new TextDecoder().decode(hot?.body), 'mobile')
      const off = createHarness()
      off.origin = echo
      await off.get(PAGE, { headers: { 'user-agent': PHONE } })
      same((await off.get(PAGE)).xCache, 'MISS', 'varies, and there are no variants')
    },
  ),
  contractCase(
    'mobile_variant of the section counts where the virtual host says nothing',
    async () => {
      const harness = createHarness({ page: { mobileVariant: true } })
      const headers = { 'user-agent': PHONE }
      await harness.get(PAGE)
      same((await harness.get(PAGE, { headers })).xCache, 'MISS')
      same((await harness.get(PAGE, { headers })).xCache, 'HIT')
      const plain = { headers, rule: { mobile_variant: false } }
      await harness.get('http://b.test/', { rule: plain.rule })
      same((await harness.get('http://b.test/', plain)).xCache, 'HIT')
    },
  ),
  contractCase(
    'ignore_query_params: the page without them, and the origin does not see them',
    async () => {
      const harness = createHarness()
      same((await harness.get(`${PAGE}?utm_source=x&fbclid=1`, LISTED)).xCache, 'MISS')
      same(harness.seen[0]?.url, PAGE)
      for (const query of ['', '?utm_campaign=a', '?fbclid=2&utm_x', '?', '?utm_a[b]=1&&']) {
        same((await harness.get(PAGE + query, LISTED)).xCache, 'HIT', query)
      }
      same(harness.seen.length, 1)
    },
  ),
  contractCase(
    'ignore_query_params: any other parameter sends the whole query to the origin',
    async () => {
      const harness = createHarness()
      await harness.get(PAGE, LISTED)
      for (const query of [
        '?utm_source=x&p=1',
        '?UTM_source=x',
        '?fbclid2=1',
        '?xutm_a=1',
        '?=1',
      ]) {
        const response = await harness.ask(PAGE + query, LISTED)
        same(response.headers.get('cache-status'), 'berth; fwd=bypass; detail=query', query)
        same(harness.seen.at(-1)?.url, PAGE + query)
      }
    },
  ),
  contractCase(
    'ignore_query_params: off by default, from the section, replaced by the virtual host',
    async () => {
      const off = createHarness()
      await off.get(PAGE)
      same((await off.get(`${PAGE}?utm_source=x`)).xCache, 'MISS')
      const harness = createHarness({ page: { ignoreQueryParams: ['utm_*'] } })
      await harness.get(PAGE)
      same((await harness.get(`${PAGE}?utm_source=x`)).xCache, 'HIT')
      const own = { rule: { ignore_query_params: [] } }
      same((await harness.get(`${PAGE}?utm_source=x`, own)).xCache, 'MISS')
    },
  ),
  contractCase(
    'ignore_query_params: a redirect is asked for once, where pages are filled neutrally with the whole query',
    async () => {
      const locationOf = async (fills: 'visitor' | 'neutral') => {
        const harness = createHarness()
        harness.origin = ({ url }) =>
          new Response(null, { status: 301, headers: { location: `${url}#to` } })
        const response = await harness.ask(`${PAGE}?utm_source=x`, {
          rule: { ...LISTED.rule, fills },
        })
        same(harness.seen.length, 1, fills)
        return response.headers.get('location')
      }
      same(await locationOf('visitor'), `${PAGE}#to`)
      same(await locationOf('neutral'), `${PAGE}?utm_source=x#to`)
    },
  ),
  contractCase('content_types: only those named are stored', async () => {
    for (const [type, stored] of [
      ['application/rss+xml; charset=utf-8', 'HIT'],
      ['Text/HTML', 'HIT'],
      ['application/json', 'MISS'],
    ] as const) {
      const harness = createHarness()
      harness.origin = () => new Response('x', { headers: { 'content-type': type } })
      const rule = { content_types: ['text/html', 'application/rss+xml'] }
      await harness.get(PAGE, { rule })
      same((await harness.get(PAGE, { rule })).xCache, stored, type)
      await harness.get('http://b.test/')
      const plain = type === 'Text/HTML' ? 'HIT' : 'MISS'
      same((await harness.get('http://b.test/')).xCache, plain, `${type} by default`)
    }
  }),
  ...(
    [
      ['no-cache', {}, 'MISS'],
      ['no-store', {}, 'MISS'],
      ['private,max-age=60', {}, 'MISS'],
      ['public,max-age=60', {}, 'HIT'],
      ['public,max-age=60', { 'cache-control': 'no-cache, max-age=0', pragma: 'no-cache' }, 'HIT'],
      ['public,max-age=60', { expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }, 'HIT'],
      ['public,max-age=60', { 'cache-control': 'private' }, 'HIT'],
      ['public,max-age=60', { 'cache-control': 'no-store' }, 'HIT'],
      ['max-age=60,public', { vary: 'Cookie, Accept-Encoding' }, 'HIT'],
      [' Public , max-age=60, reload-after', {}, 'HIT'],
      ['public,no-vary,max-age=60', {}, 'HIT'],
      ['public,max-age=60', { vary: 'Accept-Language' }, 'MISS'],
      ['public,max-age=x', {}, 'MISS'],
      ['shared,private,max-age=60', {}, 'MISS'],
      ['shared,max-age=60', {}, 'MISS'],
      ['public,max-age=60,esi=on', {}, 'MISS'],
      ['esi=on, public, max-age=60', {}, 'MISS'],
      ['public,max-age=60,no-cache', {}, 'MISS'],
      ['no-autoflush', { 'cache-control': 'max-age=60' }, 'HIT'],
      ['no-autoflush', { 'cache-control': 'no-store' }, 'MISS'],
      ['public,max-age=60', { 'set-cookie': 'a=b' }, 'MISS'],
      ['public,s-maxage=0,max-age=60', {}, 'MISS'],
      ['public,max-age=0', { 'cache-control': 'max-age=60' }, 'MISS'],
    ] as const
  ).map(([control, headers, expected]): ContractCase =>
    contractCase(
      `X-LiteSpeed-Cache-Control: ${control} with ${JSON.stringify(headers)}: ${expected}`,
      async () => {
        const harness = createHarness()
        harness.origin = () => html('x', { 'x-litespeed-cache-control': control, ...headers })
        for (const xCache of ['MISS', expected]) {
          const response = await harness.ask(PAGE)
          await response.text()
          same(response.headers.get('x-cache'), xCache)
          same(response.headers.get('x-litespeed-cache-control'), null)
        }
        harness.nowMs += 61_000
        same((await harness.get(PAGE)).xCache, 'MISS', 'past its max-age')
      },
    ),
  ),
  contractCase(
    'X-LiteSpeed-Cache-Control: a longer life than other pages have, up to 30 days',
    async () => {
      for (const [maxAge, days] of [
        [604_800, 7],
        [9_999_999_999, 30],
      ]) {
        const harness = createHarness()
        const control = `public,max-age=${maxAge}`
        harness.origin = () => html('x', { 'x-litespeed-cache-control': control })
        await harness.get(PAGE)
        harness.nowMs += (days ?? 0) * 86_400_000 - 1000
        same((await harness.get(PAGE)).xCache, 'HIT')
        harness.nowMs += 2000
        same((await harness.get(PAGE)).xCache, 'MISS')
      }
      const plain = createHarness()
      plain.origin = () => html('x', { 'x-litespeed-cache-control': 'public' })
      await plain.get(PAGE)
      plain.nowMs += 3_599_000
      same((await plain.get(PAGE)).xCache, 'HIT')
      plain.nowMs += 2000
      same((await plain.get(PAGE)).xCache, 'MISS', 'the time of the virtual host')
    },
  ),
  contractCase(
    'LSC-Cookie: a page from the cache sets it, and says that it came from there',
    async () => {
      const harness = createHarness()
      harness.origin = () =>
        html('x', {
          'x-litespeed-cache-control': 'public,max-age=60',
          'lsc-cookie': 'a=1; path=/; expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2; path=/',
        })
      await (await harness.ask(PAGE)).text()
      const hit = await harness.ask(PAGE)
      same(hit.headers.get('x-cache'), 'HIT')
      same(hit.headers.get('x-litespeed-cache'), 'hit')
      same(hit.headers.get('lsc-cookie'), null)
      same(hit.headers.getSetCookie(), [
        'a=1; path=/; expires=Wed, 21 Oct 2026 07:28:00 GMT',
        'b=2; path=/',
      ])
      const plain = createHarness()
      await plain.get(PAGE)
      same((await plain.ask(PAGE)).headers.get('x-litespeed-cache'), null)
    },
  ),
  contractCase(
    'X-LiteSpeed-Tag: the mark of the public space and its words are no part of a tag',
    async () => {
      const harness = createHarness()
      const tags = 'private,abc_tag_priv,public:ABC_,public:abc_Po.1'
      harness.origin = () => html('x', { 'x-litespeed-tag': tags })
      for (const [tag, xCache] of [
        ['abc_po', 'HIT'],
        ['public', 'HIT'],
        ['private', 'HIT'],
        ['abc_', 'MISS'],
        ['abc_Po.1', 'MISS'],
        ['abc_tag_priv', 'MISS'],
      ] as const) {
        await harness.get(PAGE)
        harness.purge(purgeSiteTag('a.test', tag))
        same((await harness.get(PAGE)).xCache, xCache, tag)
      }
    },
  ),
  contractCase(
    'X-LiteSpeed-Tag: 32 KiB of tags are kept, and what is too much to keep is not stored',
    async () => {
      const harness = createHarness()
      const list = (count: number): string =>
        Array.from({ length: count }, (_, index) => `abc_Po.${index}`).join(',')
      let tags = list(3000)
      harness.origin = () => html('x', { 'x-litespeed-tag': tags })
      await harness.get(PAGE)
      same((await harness.get(PAGE)).xCache, 'HIT')
      harness.purge(purgeSiteTag('a.test', 'abc_Po.2999'))
      tags = list(5000)
      for (let n = 0; n < 2; n++) same((await harness.get(PAGE)).xCache, 'MISS')
    },
  ),
  contractCase('statistics are kept by virtual host', async () => {
    const harness = createHarness()
    const alias = { primaryDomain: 'a.test' }
    await harness.get(PAGE)
    await harness.get('http://www.a.test/page', alias)
    await harness.get('http://www.a.test/page', alias)
    await harness.get('http://b.test/page?x')
    harness.cache.lookup('www.a.test', '/page', false, null, 'a.test')
    const { hosts, ...sum } = harness.cache.counters()
    const a = { hits: 2, staleHits: 0, misses: 2, bypasses: {}, stores: 2, bytesServed: 10 }
    const b = {
      hits: 0,
      staleHits: 0,
      misses: 0,
      bypasses: { query: 1 },
      stores: 0,
      bytesServed: 0,
    }
    same(hosts, { 'a.test': a, 'b.test': b })
    same(sum, { ...a, bypasses: { query: 1 } })
  }),
]
