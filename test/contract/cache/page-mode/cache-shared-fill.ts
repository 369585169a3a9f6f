import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, html, type AskOptions, type Harness } from './cache-harness.ts'

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
}

/** Poisoning attempts: what a client may send that must not shape what others see. */
const POISON: Record<string, string> = {
  'x-forwarded-host': 'evil.test',
  'x-forwarded-port': '1',
  'x-original-url': '/admin',
  'x-rewrite-url': '/admin',
  'x-http-method-override': 'POST',
  forwarded: 'host=evil.test',
  'x-host': 'evil.test',
  'x-custom': 'evil',
  cookie: 'currency=evil',
}

const echo = (request: Request): string =>
  JSON.stringify([...request.headers].filter(([name]) => name in OWN || name in POISON))

/** A site that says `fills = "neutral"`. */
const neutral = (options: AskOptions = {}): AskOptions => ({
  ...options,
  rule: { ...options.rule, fills: 'neutral' },
})

/** What others get once the page is filled behind somebody's answer. */
const filled = async (harness: Harness, options: AskOptions): Promise<string> => {
  await harness.get(PAGE, neutral(options))
  await harness.idle()
  const { body, xCache } = await harness.get(PAGE, neutral())
  same(xCache, 'HIT')
  return body
}

/** `fills = "neutral"`: pages are filled by requests in which nothing is a visitor's. */
export const cacheSharedFillContract = (): ContractCase[] => [
  contractCase(
    "neutral fills: nothing of a client's own reaches a page that others see",
    async () => {
      for (const [name, value] of Object.entries({ ...OWN, ...POISON })) {
        const harness = createHarness()
        harness.origin = (request) => html(echo(request))
        const body = await filled(harness, { headers: { [name]: value } })
        holds(!body.includes(value) || value.length < 4, `${name} of ${body}`)
        same(harness.seen.length, 2, name)
      }
    },
  ),
  contractCase('neutral fills: all browsers give the same request to the origin', async () => {
    const asked = async (headers: Record<string, string>) => {
      const harness = createHarness()
      await filled(harness, { headers })
      return [...(harness.seen[1]?.headers ?? [])]
    }
    same(await asked({}), await asked(OWN))
  }),
  contractCase('neutral fills: the visitor gets the answer to his own request, once', async () => {
    const harness = createHarness()
    harness.origin = ({ headers }) => html(`for ${headers.get('accept-language') ?? 'all'}`)
    const german = neutral({ headers: { 'accept-language': 'de' } })
    same(await harness.get(PAGE, german), { body: 'for de', xCache: 'MISS' })
    await harness.idle()
    same(await harness.get(PAGE, german), { body: 'for all', xCache: 'HIT' })
    same(harness.seen.length, 2)
  }),
  contractCase('neutral fills: those who ask meanwhile wait for the page', async () => {
    const harness = createHarness()
    harness.origin = () => html(`run ${harness.seen.length}`)
    const answers = await Promise.all([1, 2, 3].map(() => harness.get(PAGE, neutral())))
    same(
      answers.map(({ body }) => body),
      ['run 1', 'run 2', 'run 2'],
    )
    same(harness.seen.length, 2)
  }),
  contractCase(
    'neutral fills: an address that is known to be for everybody is asked for neutrally at once',
    async () => {
      const harness = createHarness()
      harness.origin = ({ headers }) => html(`for ${headers.get('accept-language') ?? 'all'}`)
      await filled(harness, {})
      harness.purge([{ kind: 'all' }])
      harness.seen.length = 0
      const german = neutral({ headers: { 'accept-language': 'de' } })
      same(await harness.get(PAGE, german), { body: 'for all', xCache: 'MISS' })
      same(harness.seen.length, 1)
      same(await harness.get(PAGE, german), { body: 'for all', xCache: 'HIT' })
    },
  ),
  contractCase(
    'neutral fills: what is no longer for everybody is given by the own request, and learnt',
    async () => {
      const harness = createHarness()
      await filled(harness, {})
      harness.purge([{ kind: 'all' }])
      harness.origin = ({ headers }) =>
        html(headers.get('user-agent') ?? '', { 'cache-control': 'private' })
      const own = neutral({ headers: { 'user-agent': 'mine' } })
      harness.seen.length = 0
      same(await harness.get(PAGE, own), { body: 'mine', xCache: 'MISS' })
      same(harness.seen.length, 2)
      same(await harness.get(PAGE, own), { body: 'mine', xCache: 'MISS' })
      await harness.idle()
      same(harness.seen.length, 3)
    },
  ),
  ...[301, 302, 403, 404, 500].map((status): ContractCase =>
    contractCase(
      `neutral fills: an answer with status ${status} is the client's own, asked for once`,
      async () => {
        const harness = createHarness()
        harness.origin = ({ headers }) =>
          new Response(null, {
            status,
            headers: { 'x-language': headers.get('accept-language') ?? '' },
          })
        for (let visit = 1; visit < 3; visit++) {
          const response = await harness.ask(
            PAGE,
            neutral({ headers: { 'accept-language': 'de' } }),
          )
          same(response.headers.get('x-language'), 'de')
          await harness.idle()
          same(harness.seen.length, visit)
        }
      },
    ),
  ),
  contractCase(
    'a file that is not stored is asked for once, whatever the client sends',
    async () => {
      for (const fills of ['visitor', 'neutral'] as const) {
        const harness = createHarness()
        harness.origin = () =>
          new Response('body{}', {
            headers: { 'content-type': 'text/css', 'berth-revalidate': '1' },
          })
        const response = await harness.ask(PAGE, {
          headers: { ...OWN, cookie: 'a=b', accept: '*/*' },
          rule: { fills },
        })
        await harness.idle()
        same(response.headers.get('berth-revalidate'), null)
        same(harness.seen.length, 1)
      }
    },
  ),
  contractCase('a page made from a file is everybody’s, whoever asks for it', async () => {
    const harness = createHarness()
    harness.origin = () => html('127.0.0.1 mine', { 'berth-revalidate': '1' })
    await harness.get(PAGE, { headers: { 'x-odd': '1', 'user-agent': 'mine' } })
    same(await harness.get(PAGE), { body: '127.0.0.1 mine', xCache: 'HIT' })
    same(harness.seen.length, 1)
  }),
]
