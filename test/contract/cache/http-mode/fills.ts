import { purgeAll, purgeDomain, purgePath, purgeTag, softly } from '#edge-cache/index.ts'
import type { ContractCase } from '../page-mode/cache-case.ts'
import { holds, same, contractCase } from '../page-mode/cache-case.ts'
import {
  createHarness,
  gate,
  mapLayer,
  pieces,
  type LowerLayer,
  withLower,
} from '../page-mode/cache-harness.ts'
import { PAGE, takeSteps, type Step } from './harness.ts'

const HOUR = { 'cache-control': 'max-age=3600' }
const MODE = { rule: { mode: 'http' } } as const
const fresh: Step = { origin: { headers: HOUR }, from: 'origin' }
const next = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const PURGES = [
  ['everything', purgeAll()],
  ['the domain', purgeDomain('a.test')],
  ['a tag', purgeTag('News')],
  ['the path', purgePath('a.test', '/page')],
] as const

const purges: ContractCase[] = PURGES.map(([name, scopes]) =>
  contractCase(
    `http: a purge of ${name} reaches every query and every selected answer`,
    async () => {
      const harness = createHarness()
      const headers = { ...HOUR, vary: 'x-a', 'x-cache-tag': 'news' }
      const steps = [PAGE, `${PAGE}?a=1`].flatMap((url) =>
        ['1', '2'].map((value): Step => ({ url, headers: { 'x-a': value }, origin: { headers } })),
      )
      await takeSteps(
        steps.map((step) => ({ ...step, from: 'origin' })),
        harness,
      )
      await takeSteps(
        steps.map((step) => ({ ...step, from: 'cache' })),
        harness,
      )
      harness.purge([...scopes])
      await takeSteps(
        steps.map((step) => ({ ...step, from: 'origin' })),
        harness,
      )
    },
  ),
)

const fills: ContractCase[] = [
  contractCase('http: many who ask at once cost one request', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    harness.origin = async () => {
      await opened
      return new Response('one', { headers: HOUR })
    }
    const asking = [1, 2, 3, 4].map(() => harness.get(PAGE, MODE))
    await next()
    open()
    same(
      (await Promise.all(asking)).map(({ body }) => body),
      ['one', 'one', 'one', 'one'],
    )
    same(harness.seen.length, 1, 'requests at the origin')
  }),
  contractCase('http: many who find it stale validate it once', async () => {
    const harness = createHarness()
    const headers = { 'cache-control': 'max-age=10', etag: '"a"' }
    await takeSteps([{ origin: { headers } }], harness)
    harness.nowMs += 20_000
    const { opened, open } = gate()
    harness.origin = async () => {
      await opened
      return new Response(null, { status: 304 })
    }
    const asking = [1, 2, 3, 4].map(() => harness.get(PAGE, MODE))
    await next()
    open()
    for (const answer of await Promise.all(asking)) same(answer, { body: '#0', xCache: 'HIT' })
    same(harness.seen.length, 2, 'requests at the origin')
  }),
  contractCase('http: a soft purge has it validated, however fresh it is', async () => {
    const harness = createHarness()
    const headers = { ...HOUR, etag: '"a"' }
    await takeSteps([{ origin: { headers } }, { from: 'cache' }], harness)
    harness.purge(softly(purgeDomain('a.test')))
    const validated: Step = { origin: { status: 304 }, from: 'validated', body: '#0' }
    await takeSteps([validated, { from: 'cache', body: '#0' }], harness)
  }),
  contractCase('http: who waited gets nothing that was selected for another', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    harness.origin = async (request) => {
      await opened
      const headers = { ...HOUR, vary: 'x-a' }
      return new Response(request.headers.get('x-a'), { headers })
    }
    const asking = ['1', '2', '1'].map((value) =>
      harness.get(PAGE, { ...MODE, headers: { 'x-a': value } }),
    )
    await next()
    open()
    same(
      (await Promise.all(asking)).map(({ body }) => body),
      ['1', '2', '1'],
    )
  }),
  contractCase('http: who waited for what is private asks for it himself', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    harness.origin = async (request) => {
      await opened
      const headers = { 'cache-control': 'private, max-age=60' }
      return new Response(request.headers.get('cookie'), { headers })
    }
    const asking = ['a=1', 'a=2'].map((cookie) =>
      harness.get(PAGE, { ...MODE, headers: { cookie } }),
    )
    await next()
    open()
    same(
      (await Promise.all(asking)).map(({ body }) => body),
      ['a=1', 'a=2'],
    )
  }),
  contractCase('http: a body that breaks off is not stored', async () => {
    const harness = createHarness()
    const body = pieces()
    harness.origin = () => new Response(body.stream, { headers: HOUR })
    const response = await harness.ask(PAGE, MODE)
    body.send('half')
    body.breakOff()
    holds(
      await response.text().then(
        () => false,
        () => true,
      ),
      'the client sees it break off',
    )
    await takeSteps([fresh], harness)
  }),
  contractCase('http: a body of another length than declared is not stored', async () => {
    const harness = createHarness()
    harness.origin = () => new Response('half', { headers: { ...HOUR, 'content-length': '99' } })
    const response = await harness.ask(PAGE, MODE)
    await response.text().catch(() => undefined)
    await takeSteps([fresh], harness)
  }),
  contractCase(
    'http: an answer larger than the bound is passed on whole and not stored',
    async () => {
      const harness = createHarness({ maxEntryBytes: 10 })
      const body = 'x'.repeat(11)
      await takeSteps([{ origin: { headers: HOUR, body }, from: 'origin', body }, fresh], harness)
    },
  ),
  contractCase('http: a purge reaches an answer that is on its way', async () => {
    const harness = createHarness()
    const body = pieces()
    harness.origin = () => new Response(body.stream, { headers: HOUR })
    const response = await harness.ask(PAGE, MODE)
    harness.purge(purgeDomain('a.test'))
    body.send('old')
    body.end()
    same(await response.text(), 'old')
    await takeSteps([fresh], harness)
  }),
  contractCase('http: a purge reaches an answer that is being validated', async () => {
    const harness = createHarness()
    const headers = { 'cache-control': 'max-age=1', etag: '"a"' }
    await takeSteps([{ origin: { headers } }], harness)
    harness.nowMs += 5000
    harness.origin = () => {
      harness.purge(purgeDomain('a.test'))
      return new Response(null, { status: 304, headers })
    }
    await harness.get(PAGE, MODE)
    await takeSteps([fresh], harness)
  }),
  contractCase(
    'http: the fast path and the page rules never see its answers, nor it theirs',
    async () => {
      const harness = createHarness()
      const headers = { ...HOUR, 'content-type': 'text/html' }
      await takeSteps([{ origin: { headers } }], harness)
      same(harness.cache.lookup('a.test', '/page', false), null, 'hot')
      harness.origin = () => new Response('page', { headers })
      same(await harness.get(PAGE), { body: 'page', xCache: 'MISS' })
      await takeSteps([{ from: 'cache', body: '#0' }], harness)
      same(await harness.get(PAGE), { body: 'page', xCache: 'HIT' })
    },
  ),
  contractCase('http: excluded paths stay excluded', async () => {
    const rule = { exclude: ['/page'] }
    const step: Step = { rule, origin: { headers: HOUR }, answered: { 'x-cache': null } }
    await takeSteps([step, { ...step, from: 'origin', body: '#1' }])
  }),
]

/** Fills, purges, and the layers below. */
export const httpFillsContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  ...purges,
  ...fills,
  contractCase(
    'http: another process finds it below, with its Vary, its status and its age',
    withLower(createLower, async (lower) => {
      const one = createHarness({ l2: lower.source })
      const two = createHarness({ l2: lower.source })
      const headers = { ...HOUR, vary: 'x-a', age: '7' }
      const step: Step = { headers: { 'x-a': '1' }, origin: { headers, status: 410 } }
      await takeSteps([step], one)
      const answered = { age: '7', vary: 'x-a' }
      await takeSteps([{ ...step, from: 'cache', status: 410, body: '#0', answered }], two)
      await takeSteps([{ ...step, headers: { 'x-a': '2' }, from: 'origin' }], two)
    }),
  ),
  contractCase('http: it works without a memory layer', async () => {
    const steps: Step[] = [fresh, { from: 'cache', body: '#0' }]
    await takeSteps(steps, createHarness({ l1: false, l2: mapLayer().source }))
  }),
]
