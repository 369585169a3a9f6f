import { same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, html, type AskOptions, type Origin } from './cache-harness.ts'

const PAGE = 'http://a.test/page'

/** What the next visitor gets after somebody's visit, and how often the origin was asked in all. */
const after = async (
  origin: Origin,
  visit: AskOptions,
  url = PAGE,
): Promise<{ body: string; runs: number }> => {
  const harness = createHarness()
  harness.origin = origin
  await harness.get(url, visit)
  await harness.idle()
  const { body } = await harness.get(PAGE)
  return { body, runs: harness.seen.length }
}

/** A page that shows `text` to whoever sends the field as given. */
const showing =
  (field: string, value: string, text: string): Origin =>
  ({ headers }) =>
    html(headers.get(field) === value ? `<p>${text}</p>` : '<p>for all</p>')

const hidden = (name: string, field: string, value: string, text: string): ContractCase =>
  contractCase(`attack on fills: ${name} is shown to nobody else`, async () => {
    const isTrustedProxy = field === 'forwarded' || field.startsWith('x-forwarded-')
    const visit = { headers: { [field]: value }, isTrustedProxy }
    same((await after(showing(field, value, text), visit)).body, '<p>for all</p>')
  })

/** What was tried against filling by visitors' own requests. */
export const cacheFillAttacksContract = (): ContractCase[] => [
  hidden('a host of short words in Referer', 'referer', 'https://ab.io/p', '//ab.io'),
  hidden('an address cleaned of markup', 'referer', 'https://e<vi<l.c<om/', 'https://evil.com/'),
  hidden('an agent cleaned of tags', 'user-agent', 'ht<x>tp<x>:/<x>/ev<x>il', 'http://evil'),
  hidden('a name of a cookie', 'cookie', '_ga_EVILNAME=1', 'cookies: _ga_EVILNAME'),
  hidden('an address with a port', 'x-forwarded-for', '203.0.113.77:5123', 'you: 203.0.113.77'),
  hidden('an address of Forwarded', 'forwarded', 'for=203.0.113.77;proto=https', '203.0.113.77'),
  hidden(
    'an IPv6 address of Forwarded',
    'forwarded',
    'for="[2001:db8::77]:4711"',
    'you: 2001:db8::77',
  ),
  contractCase(
    'attack on fills: while a page is not for everybody, query and codings reach no stored answer',
    async () => {
      const harness = createHarness()
      const rule = { ignore_query_params: ['utm_*'] }
      harness.origin = () => new Response('broken', { status: 503 })
      await harness.get(PAGE, { rule })
      harness.origin = ({ url, headers }) =>
        html(`${new URL(url).search} ${headers.get('accept-encoding') ?? ''}`)
      const headers = { 'accept-encoding': 'EVIL' }
      await harness.get(`${PAGE}?utm_source=EVIL`, { rule, headers })
      await harness.idle()
      same((await harness.get(PAGE, { rule })).body.includes('EVIL'), false)
    },
  ),
  ...(
    [
      [{ accept: 'application/json, text/plain, */*' }, 'data'],
      [{ accept: '*/*', 'sec-fetch-dest': 'empty' }, 'fragment'],
    ] as const
  ).map(([headers, answer]): ContractCase =>
    contractCase(
      `attack on fills: what a script asked for (${answer}) is not the page`,
      async () => {
        const [[field, value] = ['', '']] = Object.entries(headers).slice(-1)
        const { body, runs } = await after(
          (request) => html(request.headers.get(field) === value ? answer : 'page'),
          { headers },
        )
        same([body, runs], ['page', 2])
      },
    ),
  ),
  contractCase(
    'a visit that comes from another page of the site is one run, and stores the page',
    async () => {
      const headers = { host: 'a.test', referer: 'http://a.test/hello-world/' }
      const harness = createHarness()
      harness.origin = () => html('<a href="http://a.test/hello-world/">Hello world</a>')
      await harness.get(PAGE, { headers })
      same((await harness.get(PAGE)).xCache, 'HIT')
      same(harness.seen.length, 1)
      same(harness.seen[0]?.headers.get('referer'), 'http://a.test/')
    },
  ),
  contractCase(
    'where a neutral request does not get the page, no more are sent for a while',
    async () => {
      const harness = createHarness()
      harness.origin = ({ headers }) =>
        headers.has('dnt') ? html('page') : new Response(null, { status: 302 })
      for (let visit = 0; visit < 4; visit++) {
        await harness.get(PAGE, { headers: { dnt: '1' } })
        await harness.idle()
      }
      same(harness.seen.length, 5)
    },
  ),
  contractCase(
    'one visitor’s refusal does not throw a page away that stands in for errors',
    async () => {
      const harness = createHarness()
      harness.origin = () => html('page', { 'cache-control': 'max-age=10, stale-if-error=600' })
      await harness.get(PAGE)
      harness.nowMs += 11_000
      harness.origin = () => new Response('no', { status: 403 })
      const agent = { headers: { 'user-agent': 'scanner/1.8' } }
      same((await harness.get(PAGE, agent)).body, 'no')
      harness.nowMs += 11_000
      harness.origin = () => new Response('broken', { status: 500 })
      same((await harness.get(PAGE)).body, 'page')
    },
  ),
  contractCase(
    'behind a trusted proxy the scheme that visitors see is part of the address, and one run is enough',
    async () => {
      const harness = createHarness()
      harness.origin = ({ headers }) =>
        html(`${headers.get('x-forwarded-proto') ?? 'http'}://a.test/`)
      const headers = {
        'x-forwarded-proto': 'https',
        'cf-ipcountry': 'DE',
        'x-forwarded-port': '443',
      }
      const proxied = { headers, isTrustedProxy: true, secure: true }
      await harness.get(PAGE, proxied)
      await harness.idle()
      same(await harness.get(PAGE, proxied), { body: 'https://a.test/', xCache: 'HIT' })
      same(harness.seen.length, 1)
    },
  ),
]
