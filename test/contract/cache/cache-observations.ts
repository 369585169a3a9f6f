import {
  type CacheRule,
  createObservations,
  DEFAULT_CACHE_RULE,
  observedPageCache,
  type SiteObservations,
} from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './page-mode/cache-case.ts'
import { createHarness, html } from './page-mode/cache-harness.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** Asks through an observed page cache; `taken` is what it saw. */
const observing = () => {
  const harness = createHarness()
  const observations = createObservations()
  const cache = observedPageCache(harness.cache, {
    observe: observations.note,
    nowMs: () => harness.nowMs,
  })
  const ask = async (
    path: string,
    options: { method?: string; headers?: Record<string, string>; rule?: Partial<CacheRule> } = {},
  ): Promise<void> => {
    const url = new URL(path, 'http://a.test/')
    const { method = 'GET', headers = {}, rule } = options
    const response = await cache.handle(
      new Request(url, { method, headers: { ...HTML, ...headers } }),
      {
        host: 'a.test',
        primaryDomain: 'site.test',
        rule: { ...DEFAULT_CACHE_RULE, ...rule },
        secure: false,
        path: url.pathname,
      },
      async (asked) => harness.origin(asked),
    )
    await response.text()
  }
  const taken = (): SiteObservations => {
    const { 'site.test': seen, ...others } = observations.take()
    same(others, {}, 'other sites')
    return seen ?? { reasons: [], clickIdsOnly: 0, cookies: [], pages: [] }
  }
  return { harness, cache, ask, taken }
}

const reasonsOf = (seen: SiteObservations): Record<string, number> =>
  Object.fromEntries(seen.reasons.map(([reason, count]) => [reason, count]))

/** What is seen of visitors who are not served from the cache. */
export const cacheObservationsContract = (): ContractCase[] => [
  contractCase(
    'observed: a first view and what went past the cache, each with its reason; no hit, no POST',
    async () => {
      const { ask, taken } = observing()
      await ask('/page')
      await ask('/page')
      await ask('/page', { method: 'HEAD' })
      await ask('/page', { method: 'POST' })
      await ask('/page?id=1')
      await ask('/page', { headers: { authorization: 'Basic eA==' } })
      await ask('/private/x', { rule: { exclude: ['/private/*'] } })
      const seen = taken()
      same(reasonsOf(seen), { 'uri-miss': 1, query: 1, authorization: 1, excluded: 1 })
      same(
        seen.pages.map(([path, count]) => [path, count]),
        [['/page', 3]],
        'pages',
      )
      same(taken().reasons, [], 'what was taken is gone')
    },
  ),
  contractCase(
    'observed: why an answer was not stored, also when that is known already',
    async () => {
      const { harness, ask, taken } = observing()
      const answers: Record<string, () => Response> = {
        'set-cookie': () => html('x', { 'set-cookie': 'a=1' }),
        private: () => html('x', { 'cache-control': 'private' }),
        'no-store': () => html('x', { 'cache-control': 'no-store' }),
        vary: () => html('x', { vary: 'Accept-Language' }),
        status: () =>
          new Response('gone', { status: 404, headers: { 'content-type': 'text/html' } }),
      }
      harness.origin = (request) => answers[new URL(request.url).pathname.slice(1)]!()
      for (const name of Object.keys(answers)) for (let i = 0; i < 3; i++) await ask(`/${name}`)
      same(
        reasonsOf(taken()),
        Object.fromEntries(Object.keys(answers).map((name) => [name, 3])),
        'reasons',
      )
    },
  ),
  contractCase(
    'observed: what is no page is counted apart, whoever asks for it, and is in no list of pages',
    async () => {
      const { harness, cache, ask, taken } = observing()
      harness.origin = () => new Response('{}', { headers: { 'content-type': 'text/css' } })
      await ask('/style.css')
      await ask('/style.css?ver=6.2')
      await ask('/style.css', { headers: { cookie: 'PHPSESSID=1' } })
      cache.countRepeated('site.test', 'berth; fwd=bypass; detail=cookie')
      const seen = taken()
      same(reasonsOf(seen), { 'content-type': 4 })
      same([seen.pages, seen.cookies], [[], []])
    },
  ),
  contractCase(
    'observed: cookies by name, only those in the way, never what they hold',
    async () => {
      const { ask, taken } = observing()
      await ask('/a', { headers: { cookie: '_ga=secret1; PHPSESSID=secret2; theme=dark' } })
      await ask('/b', { headers: { cookie: 'PHPSESSID=secret3; my_auth=secret4' } })
      await ask('/c', { headers: { cookie: `${'n'.repeat(200)}session=1; sessionid=secret5` } })
      await ask('/d', { headers: { cookie: 'VIP=1' }, rule: { bypass_cookies: ['vip'] } })
      const seen = taken()
      same(
        seen.cookies.map(([name, count]) => [name, count]),
        [
          ['PHPSESSID', 2],
          ['my_auth', 1],
          ['sessionid', 1],
          ['VIP', 1],
        ],
      )
      holds(!JSON.stringify(seen).includes('secret'), 'no value is kept')
    },
  ),
  contractCase('observed: queries of nothing but click ids are counted', async () => {
    const { ask, taken } = observing()
    for (const query of [
      'utm_source=x&utm_medium=y',
      'fbclid=1',
      'gclid=1&_hsenc=2',
      'fbclid=1&id=2',
      'id=2',
      's=',
    ])
      await ask(`/?${query}`)
    same(taken().clickIdsOnly, 3)
    await ask('/?fbclid=1', { rule: { ignore_query_params: ['fbclid'] } })
    same(taken().clickIdsOnly, 0, 'where they are ignored they are no obstacle')
  }),
  contractCase(
    'observed: whatever visitors send, what is kept is bounded, and what comes often is in it',
    async () => {
      const { ask, taken } = observing()
      for (let i = 0; i < 300; i++) {
        await ask(`/${i}/${'p'.repeat(1000)}?x`, {})
        await ask('/often?x')
        await ask('/c', { headers: { cookie: `${i}session=1; shop_session=2` } })
      }
      const seen = taken()
      holds(seen.pages.length <= 64 && seen.cookies.length <= 64, 'lists are short')
      holds(
        seen.pages.every(([path]) => path.length <= 512),
        'paths are short',
      )
      const count = (list: SiteObservations['pages'], name: string): number =>
        list.find(([text]) => text === name)?.[1] ?? 0
      same(count(seen.pages, '/often'), 300)
      same(count(seen.cookies, 'shop_session'), 300)
    },
  ),
]
