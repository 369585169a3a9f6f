import { createManagementApp } from '#handlers/management/app.ts'
import { QUEUE_FULL } from '#handlers/management/serve-warm.ts'
import type { ManagementPort } from '#handlers/management/management-port.ts'
import type { WarmPort, WarmReceipt, WarmRequest } from '#handlers/management/warm-port.ts'
import { holds, same, type ContractCase, contractCase } from './page-mode/cache-case.ts'

const TOKEN = 'a-management-token-of-some-length'
const WARM = '/api/v1/cache/warm'

const unused = (): never => {
  throw new Error('not asked for here')
}

const create = (over: Partial<WarmPort> = {}, present = true) => {
  const requests: WarmRequest[] = []
  const warm: WarmPort = {
    closed: () => null,
    submit(request) {
      requests.push(request)
      return Promise.resolve({ queued: 1, duplicates: 0, rejected: [], queue_size: 1 })
    },
    report: unused,
    tally: unused,
    ...over,
  }
  const port: ManagementPort = {
    status: unused,
    cacheConfig: unused,
    cacheStats: unused,
    namesOf: unused,
    purge: unused,
    traffic: unused,
    upstreams: unused,
    ...(present ? { warm } : {}),
  }
  const app = createManagementApp({ port, token: TOKEN, log: { error: () => undefined } })
  return {
    requests,
    async ask(query: string, body?: string, method = 'POST', token: string | null = TOKEN) {
      const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` })
      const init = { method, headers, ...(body === undefined ? {} : { body }) }
      const response = await app(new Request(`http://127.0.0.1:8090${WARM}${query}`, init))
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      }
    },
  }
}

const PLAIN: WarmRequest = { urls: [], domain: null, trigger: 'manual', deterministic: false }

const understood = (query: string, body: unknown, expected: Partial<WarmRequest>): ContractCase =>
  contractCase(
    `warm${query} ${body === undefined ? '' : JSON.stringify(body).slice(0, 80)} is understood`,
    async () => {
      const { ask, requests } = create()
      const answer = await ask(query, body === undefined ? undefined : JSON.stringify(body))
      same(answer.status, 200)
      same(answer.body, { queued: 1, duplicates: 0, rejected: [], queue_size: 1 })
      same(requests, [{ ...PLAIN, ...expected }])
    },
  )

const refused = (query: string, body: string | undefined, names: string): ContractCase =>
  contractCase(
    `warm${query.slice(0, 60)} ${body?.slice(0, 60) ?? ''}: 400 that names ${names}`,
    async () => {
      const { ask, requests } = create()
      const answer = await ask(query, body)
      same(answer.status, 400)
      same(Object.keys(answer.body), ['error'])
      holds(String(answer.body['error']).includes(names), `"${String(answer.body['error'])}"`)
      same(requests, [])
    },
  )

const receipt = (change: Partial<WarmReceipt>): Partial<WarmPort> => ({
  submit: () =>
    Promise.resolve({ queued: 0, duplicates: 0, rejected: [], queue_size: 9, ...change }),
})

/** What `POST /api/v1/cache/warm` keeps to. */
export const warmContract = (): ContractCase[] => [
  understood('?url=/', undefined, { urls: ['/'] }),
  understood('?url=/a&url=http://a.test/b&domain=A.test', undefined, {
    urls: ['/a', 'http://a.test/b'],
    domain: 'a.test',
  }),
  understood('?url=/%25E6%2597%25A5', undefined, { urls: ['/%E6%97%A5'] }),
  understood(
    '',
    { urls: ['/a', '/b'], domain: 'a.test', trigger: 'after deploy' },
    {
      urls: ['/a', '/b'],
      domain: 'a.test',
      trigger: 'after deploy',
    },
  ),
  understood('?url=/a', { urls: ['/b'] }, { urls: ['/a', '/b'] }),
  understood(
    '',
    { urls: ['/'], domain: 'bücher.test' },
    { urls: ['/'], domain: 'xn--bcher-kva.test' },
  ),
  understood('', { urls: ['/'], domain: null, trigger: '' }, { urls: ['/'] }),
  understood(
    '',
    { urls: ['/'], trigger: '日'.repeat(64) },
    { urls: ['/'], trigger: '日'.repeat(64) },
  ),
  understood('?deterministic=1', undefined, { deterministic: true }),
  understood(
    '',
    { deterministic: true, domain: 'a.test' },
    { deterministic: true, domain: 'a.test' },
  ),
  understood('?url=/&trigger=cron&deterministic=false', undefined, {
    urls: ['/'],
    trigger: 'cron',
  }),
  refused('', undefined, 'Nothing to warm'),
  refused('?deterministic=0', '{}', 'Nothing to warm'),
  refused('', '{"urls":[]}', 'Nothing to warm'),
  refused('?path=/a', undefined, 'path'),
  refused('?urls=/a', undefined, 'urls'),
  refused('?url=/&domain=', undefined, 'domain'),
  refused('?url=/&domain=a&domain=b', undefined, 'domain'),
  refused('?url=/&domain=http://a.test', undefined, 'domain'),
  refused('?url=/&domain=a.test:80', undefined, 'domain'),
  refused('?url=/&domain=a.test', '{"domain":"b.test"}', 'domain'),
  refused('?url=/&deterministic=yes', undefined, 'deterministic'),
  refused('', '{"urls":"/"}', 'urls'),
  refused('', '{"urls":[1]}', 'urls'),
  refused('', '{"urls":["/"],"domain":1}', 'domain'),
  refused('', '{"urls":["/"],"trigger":1}', 'trigger'),
  refused('', '{"urls":["/"],"trigger":"a\\nb"}', 'trigger'),
  refused('', '{"urls":["/"],"trigger":"a\\u001b[31m"}', 'trigger'),
  refused('', `{"urls":["/"],"trigger":"${'x'.repeat(65)}"}`, 'trigger'),
  refused('', '{"urls":["/"],"force":true}', 'force'),
  refused('', '["/"]', 'body'),
  refused('', '{"urls":', 'body'),
  refused('', 'url=/', 'body'),
  refused('', JSON.stringify({ urls: Array<string>(10_001).fill('/') }), '10001 URLs'),
  contractCase('rejected targets stand beside those that were queued', async () => {
    const rejected = [
      { url: 'http://evil.test/', reason: 'evil.test is no virtual host of this server' },
      { url: '/late', reason: QUEUE_FULL },
    ]
    const { ask } = create(receipt({ queued: 2, duplicates: 1, rejected }))
    const { status, body } = await ask('?url=/')
    same(status, 200)
    same(body, { queued: 2, duplicates: 1, rejected, queue_size: 9 })
  }),
  contractCase('a queue without room for one target: 503', async () => {
    const { ask } = create(receipt({ rejected: [{ url: '/', reason: QUEUE_FULL }] }))
    const { status, body } = await ask('?url=/')
    same(status, 503)
    holds(String(body['error']).includes('warm_max_queue_size'), 'names the key')
  }),
  contractCase('warming that is off: 409 with the reason, nothing is queued', async () => {
    const { ask, requests } = create({ closed: () => 'Warming is off.' })
    const { status, body } = await ask('?url=/')
    same([status, body], [409, { error: 'Warming is off.' }])
    same(requests, [])
    same((await create({}, false).ask('?url=/')).status, 409)
  }),
  contractCase('warm needs the token and POST; a body beyond 1 MiB is 413', async () => {
    const { ask, requests } = create()
    same((await ask('?url=/', undefined, 'POST', null)).status, 401)
    same((await ask('?url=/', undefined, 'POST', `${TOKEN}x`)).status, 401)
    const got = await ask('?url=/', undefined, 'GET')
    same([got.status, got.headers.get('allow')], [405, 'POST'])
    same((await ask('', JSON.stringify({ urls: ['x'.repeat(1_100_000)] }))).status, 413)
    same(requests, [])
  }),
]
