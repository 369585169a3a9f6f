import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, html, type AskOptions } from './cache-harness.ts'

const PAGE = 'http://a.test/page'

/** Asks twice; whether the second came from the cache, and with which detail the first did not. */
const twice = async (
  response: () => Response,
  options: AskOptions = {},
  url = PAGE,
): Promise<{ second: string | null; status: string; calls: number }> => {
  const harness = createHarness()
  harness.origin = response
  const first = await harness.ask(url, options)
  await first.text()
  const second = await harness.ask(url, options)
  await second.text()
  return {
    second: second.headers.get('x-cache'),
    status: first.headers.get('cache-status') ?? '',
    calls: harness.seen.length,
  }
}

const answers = (
  name: string,
  headers: Record<string, string>,
  detail: string | null,
): ContractCase =>
  contractCase(`answer: ${name} ${detail === null ? 'is stored' : 'is not stored'}`, async () => {
    const { second, status } = await twice(() => html('x', headers))
    same(second, detail === null ? 'HIT' : 'MISS', 'second X-Cache')
    same(status, `berth; fwd=uri-miss${detail === null ? '' : `; detail=${detail}`}`)
  })

const requests = (
  name: string,
  options: AskOptions,
  expected: { xCache: string | null; status: string },
  url = PAGE,
): ContractCase =>
  contractCase(`request: ${name}`, async () => {
    const harness = createHarness()
    await harness.get(url)
    const response = await harness.ask(url, options)
    same(response.headers.get('x-cache'), expected.xCache, 'X-Cache')
    same((response.headers.get('cache-status') ?? '').replace(/ttl=\d+/, 'ttl'), expected.status)
  })

const cookie = (value: string, bypasses: boolean): ContractCase =>
  requests(
    `cookie ${value}`,
    { headers: { cookie: value } },
    bypasses
      ? { xCache: 'MISS', status: 'berth; fwd=bypass; detail=cookie' }
      : { xCache: 'HIT', status: 'berth; hit; ttl' },
  )

const bypass = (detail: string) => ({
  xCache: 'MISS',
  status: `berth; fwd=bypass; detail=${detail}`,
})

/** Which requests and answers the page cache takes. */
export const cacheRulesContract = (): ContractCase[] => [
  answers('plain HTML', {}, null),
  answers('public, max-age', { 'cache-control': 'public, max-age=600' }, null),
  answers('HTML of other spelling', { 'content-type': 'Text/HTML ; charset=x' }, null),
  answers('Vary: Accept-Encoding', { vary: 'Accept-Encoding' }, null),
  answers('s-maxage over max-age=0', { 'cache-control': 'max-age=0, s-maxage=60' }, null),
  answers('not HTML', { 'content-type': 'application/json' }, 'content-type'),
  answers('no type', { 'content-type': '' }, 'content-type'),
  answers('Set-Cookie', { 'set-cookie': 'a=b' }, 'set-cookie'),
  answers('private', { 'cache-control': 'Private' }, 'private'),
  answers('private="x"', { 'cache-control': 'private="set-cookie"' }, 'private'),
  answers('no-store', { 'cache-control': 'max-age=60,no-store' }, 'no-store'),
  answers('no-cache', { 'cache-control': 'no-cache, must-revalidate' }, 'no-cache'),
  answers('max-age=0', { 'cache-control': 'max-age=0' }, 'expired'),
  answers('s-maxage=0', { 'cache-control': 's-maxage=0, max-age=60' }, 'expired'),
  answers('unreadable max-age', { 'cache-control': 'max-age=soon' }, 'expired'),
  answers('a past Expires', { expires: 'Wed, 11 Jan 1984 05:00:00 GMT' }, 'expired'),
  answers('Expires: 0', { expires: '0' }, 'expired'),
  answers('Expires that is no HTTP date', { expires: '2050-01-01T00:00:00Z' }, 'expired'),
  answers('Pragma: no-cache', { pragma: 'no-cache' }, 'no-cache'),
  answers('Vary: Cookie', { vary: 'Accept-Encoding, Cookie' }, 'vary'),
  answers('Vary: Accept-Language', { vary: 'accept-language' }, 'vary'),
  answers('Vary: *', { vary: '*' }, 'vary'),
  answers('compressed twice', { 'content-encoding': 'gzip, br' }, 'encoding'),
  answers('endless tags', { 'x-cache-tag': 'x'.repeat(1025) }, 'tags'),
  ...[201, 204, 301, 302, 304, 404, 410, 500, 503].map((status): ContractCase =>
    contractCase(`answer: status ${status} is not stored`, async () => {
      const body = status === 204 || status === 304 ? null : 'x'
      const { second } = await twice(
        () => new Response(body, { status, headers: { 'content-type': 'text/html' } }),
      )
      same(second, 'MISS')
    }),
  ),
  contractCase('answer: an empty page is not stored', async () => {
    same((await twice(() => html(''))).second, 'MISS')
  }),
  requests('plain', {}, { xCache: 'HIT', status: 'berth; hit; ttl' }),
  requests('HEAD', { method: 'HEAD' }, { xCache: 'HIT', status: 'berth; hit; ttl' }),
  requests(
    'POST',
    { method: 'POST' },
    { xCache: null, status: 'berth; fwd=method; detail=method' },
  ),
  requests('query', {}, bypass('query'), `${PAGE}?a=1`),
  requests('empty query', {}, bypass('query'), `${PAGE}?`),
  requests('Authorization', { headers: { authorization: 'Basic eA==' } }, bypass('authorization')),
  requests('script', { headers: { 'x-requested-with': 'XMLHttpRequest' } }, bypass('header')),
  ...[
    'x-requested-with: fetch',
    'hx-request: true',
    'hx-anything: 1',
    'turbo-frame: list',
    'x-inertia: true',
    'x-pjax: true',
    'x-livewire: 1',
    'rsc: 1',
    'x-api-key: k',
  ].map((field) => {
    const [name = '', value = ''] = field.split(': ')
    return requests(
      `another representation, ${field}`,
      { headers: { [name]: value } },
      bypass('header'),
    )
  }),
  ...[
    'x-requested-with: com.example.android_app',
    'x-custom: 1',
    'x-http-method-override: POST',
    'origin: http://b.test',
    'via: 1.1 proxy',
  ].map((field) => {
    const [name = '', value = ''] = field.split(': ')
    return requests(
      `no reason to pass by, ${field}`,
      { headers: { [name]: value } },
      { xCache: 'HIT', status: 'berth; hit; ttl' },
    )
  }),
  requests('JSON wanted', { headers: { accept: 'application/json' } }, bypass('accept')),
  requests(
    'HTML wanted',
    { headers: { accept: 'text/html,*/*;q=0.8' } },
    {
      xCache: 'HIT',
      status: 'berth; hit; ttl',
    },
  ),
  requests(
    'excluded exactly',
    { rule: { exclude: ['/page'] } },
    {
      xCache: null,
      status: 'berth; fwd=bypass; detail=excluded',
    },
  ),
  requests(
    'excluded by prefix',
    { rule: { exclude: ['/other', '/pa*'] } },
    {
      xCache: null,
      status: 'berth; fwd=bypass; detail=excluded',
    },
  ),
  requests(
    'an exact pattern is no prefix',
    { rule: { exclude: ['/pag'] } },
    {
      xCache: 'HIT',
      status: 'berth; hit; ttl',
    },
  ),
  requests(
    'cache off for the virtual host',
    { rule: { enable: false } },
    {
      xCache: null,
      status: '',
    },
  ),
  ...[
    'wordpress_logged_in_abc=1',
    'wp-postpass_abc=1',
    'wordpress_sec_1=1',
    'comment_author_x=1',
    'woocommerce_items_in_cart=1',
    'woocommerce_cart_hash=1',
    'wp_woocommerce_session_x=1',
    'phpsessid=1',
    'laravel_session=1',
    'XSRF-TOKEN=1',
    `SESS${'a1'.repeat(16)}=1`,
    `SSESS${'0f'.repeat(16)}=1`,
    'joomla_user_state=logged_in',
    'X-Magento-Vary=1',
    'PrestaShop-0=1',
    'my_session_id=1',
    'AUTHUSER=1',
    'csrftoken=1',
    'SESS_LIKE=1',
    '_ga=1; PHPSESSID=1',
    'PHPSESSID',
  ].map((value) => cookie(value, true)),
  ...[
    '_ga=1; _ga_XYZ=2; _gid=3',
    '_hjSession_12=1',
    '_hjSessionUser_12=1',
    '_fbp=1',
    'ai_session=1',
    'wordpress_test_cookie=1',
    'wp-settings-time-1=1',
    'theme=dark',
  ].map((value) => cookie(value, false)),
  requests(
    'own cookie list replaces the built-in one',
    { rule: { bypass_cookies: ['member_*', 'x'] }, headers: { cookie: 'PHPSESSID=1' } },
    { xCache: 'HIT', status: 'berth; hit; ttl' },
  ),
  requests(
    'own cookie list',
    { rule: { bypass_cookies: ['Member_*', 'x'] }, headers: { cookie: 'a=1; member_id=1' } },
    bypass('cookie'),
  ),
  contractCase(
    "lifetime: the virtual host's, the default, shortened by the origin, never lengthened",
    async () => {
      const lives = async (
        headers: Record<string, string>,
        ttl: number | null,
        secs: number,
      ): Promise<void> => {
        const harness = createHarness()
        harness.origin = () => html('x', headers)
        await harness.get(PAGE, { rule: { ttl } })
        harness.nowMs += secs * 1000 - 1
        same((await harness.get(PAGE, { rule: { ttl } })).xCache, 'HIT', `before ${secs} s`)
        harness.nowMs += 1
        same((await harness.get(PAGE, { rule: { ttl } })).xCache, 'MISS', `after ${secs} s`)
      }
      await lives({}, null, 3600)
      await lives({}, 5, 5)
      await lives({ 'cache-control': 'max-age=10' }, 60, 10)
      await lives({ 'cache-control': 'max-age=10, s-maxage=20' }, 60, 20)
      await lives({ 'cache-control': 'max-age=9999' }, 60, 60)
      await lives({ 'cache-control': 'max-age=50', age: '20' }, 60, 30)
    },
  ),
  contractCase('a lifetime of 0 stores nothing', async () => {
    same((await twice(() => html('x'), { rule: { ttl: 0 } })).second, 'MISS')
  }),
  contractCase('counts hits, misses, bypasses by reason and bytes', async () => {
    const harness = createHarness()
    await harness.get(PAGE)
    await harness.get(PAGE)
    await harness.get(`${PAGE}?a`)
    await harness.get(PAGE, { headers: { cookie: 'PHPSESSID=1' } })
    holds(harness.cache.lookup('a.test', '/page', false) !== null, 'hot hit')
    const counted = {
      hits: 2,
      staleHits: 0,
      misses: 1,
      bypasses: { query: 1, cookie: 1 },
      stores: 1,
      bytesServed: 10,
    }
    same(harness.cache.counters(), { ...counted, hosts: { 'a.test': counted } })
  }),
]
