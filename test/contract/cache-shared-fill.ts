import { same, type ContractCase } from './cache-case.ts'
import { createHarness, html } from './cache-harness.ts'

const PAGE = 'http://a.test/page'

/** What browsers send of themselves; an origin may echo all of it without a `Vary`. */
const OWN: Record<string, string> = {
  'user-agent': 'Evil/1.0 <script>',
  'accept-language': 'de',
  accept: 'text/html;level=evil',
  referer: 'http://evil.test/',
  dnt: '1',
  'save-data': 'on',
  'sec-ch-ua-mobile': '?1',
  'sec-fetch-site': 'cross-site',
  'upgrade-insecure-requests': '1',
  priority: 'u=0',
  'x-forwarded-for': '6.6.6.6',
  'x-forwarded-proto': 'https',
}

const echo = (request: Request): string =>
  JSON.stringify([...request.headers].filter(([, value]) => Object.values(OWN).includes(value)))

/** What of a client's request reaches the origin, and when the client's own request is sent. */
export const cacheSharedFillContract = (): ContractCase[] => [
  {
    name: "nothing of a client's own reaches a page that others see",
    async run() {
      for (const [name, value] of Object.entries(OWN)) {
        const harness = createHarness()
        harness.origin = (request) => html(echo(request))
        await harness.get(PAGE, { headers: { [name]: value } })
        same(await harness.get(PAGE), { body: '[]', xCache: 'HIT' }, name)
      }
    },
  },
  {
    name: 'all browsers give the same request to the origin',
    async run() {
      const asked = async (headers: Record<string, string>) => {
        const harness = createHarness()
        await harness.get(PAGE, { headers })
        return [...(harness.seen[0]?.headers ?? [])]
      }
      same(await asked({}), await asked(OWN))
    },
  },
  ...[301, 302, 403, 500].map((status): ContractCase => ({
    name: `an answer with status ${status} is the client's own`,
    async run() {
      const harness = createHarness()
      harness.origin = ({ headers }) =>
        new Response(null, {
          status,
          headers: { 'x-language': headers.get('accept-language') ?? '' },
        })
      for (let visit = 0; visit < 2; visit++) {
        const response = await harness.ask(PAGE, { headers: { 'accept-language': 'de' } })
        same(response.headers.get('x-language'), 'de')
      }
    },
  })),
  {
    name: 'a missing page is asked for once by a browser',
    async run() {
      const harness = createHarness()
      harness.origin = () => new Response('not here', { status: 404 })
      const headers = { 'accept-language': 'de', 'user-agent': 'x', 'sec-fetch-mode': 'navigate' }
      same((await harness.ask(PAGE, { headers })).status, 404)
      same(harness.seen.length, 1)
    },
  },
  {
    name: 'a file that is not stored is asked for once, whatever the client sends',
    async run() {
      const harness = createHarness()
      harness.origin = () =>
        new Response('body{}', { headers: { 'content-type': 'text/css', 'berth-revalidate': '1' } })
      const response = await harness.ask(PAGE, {
        headers: { ...OWN, cookie: 'a=b', accept: '*/*' },
      })
      same(response.headers.get('berth-revalidate'), null)
      same(harness.seen.length, 1)
    },
  },
  {
    name: 'while it is known not to be for everybody, a page is asked for once per visit',
    async run() {
      const harness = createHarness()
      harness.origin = () => html('mine', { 'set-cookie': 'session=1' })
      await harness.get(PAGE, { headers: OWN })
      harness.seen.length = 0
      await harness.get(PAGE, { headers: OWN })
      same(harness.seen.length, 1)
      same(harness.seen[0]?.headers.get('user-agent'), OWN['user-agent'])
      harness.origin = () => html('for all')
      await harness.get(PAGE, { headers: OWN })
      await harness.get(PAGE, { headers: OWN })
      same(await harness.get(PAGE), { body: 'for all', xCache: 'HIT' }, 'learnt')
    },
  },
]
