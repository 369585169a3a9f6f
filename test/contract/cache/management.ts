import { createManagementApp } from '#handlers/management/app.ts'
import type { ManagementPort } from '#handlers/management/management-port.ts'
import { DEFAULT_CACHE_CONFIG, DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeTag,
  softly,
} from '#edge-cache/index.ts'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import { holds, same, type ContractCase, contractCase } from './page-mode/cache-case.ts'

const TOKEN = 'a-management-token-of-some-length'
const BASE = 'http://127.0.0.1:8090'
const SECRET = 'hunter2-secret'

interface Subject {
  ask(
    path: string,
    options?: { method?: string; token?: string | null; host?: string; body?: string },
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>
  /** For what is no JSON. */
  text(
    path: string,
    token?: string | null,
  ): Promise<{ status: number; body: string; type: string | null }>
  purges: (readonly PurgeScope[])[]
  logged: unknown[]
}

const STALL: WorkerStall = {
  at: '2026-01-02 03:04:05',
  secs: 5,
  ended: true,
  site: 'a.test',
  method: 'GET',
  target: '/x?y',
  part: 'request',
  held: false,
}

const create = (over: Partial<ManagementPort> = {}): Subject => {
  const purges: (readonly PurgeScope[])[] = []
  const logged: unknown[] = []
  const port: ManagementPort = {
    status: () => ({
      status: 'ok',
      version: '1.0.0',
      uptime_secs: 5,
      workers: 2,
      virtual_hosts: 1,
    }),
    stalls: () => [STALL],
    cacheConfig: () => ({
      cache: {
        ...DEFAULT_CACHE_CONFIG,
        redis_url: `redis://user:${SECRET}@127.0.0.1:6379/1`,
      },
      virtual_hosts: [{ domain: 'a.test', aliases: ['www.a.test'], cache: DEFAULT_CACHE_RULE }],
    }),
    cacheStats: () =>
      Promise.resolve({
        counters: {
          hits: 3,
          staleHits: 1,
          misses: 1,
          bypasses: { cookie: 2 },
          stores: 1,
          bytesServed: 99,
          hosts: {
            'a.test': {
              hits: 3,
              staleHits: 1,
              misses: 1,
              bypasses: { cookie: 2 },
              stores: 1,
              bytesServed: 99,
            },
          },
        },
        l1: { entries: 1, bytes: 900, limitBytes: 1000, evictions: 0 },
        l2: null,
        purges: 4,
      }),
    upstreams: () =>
      Promise.resolve([
        {
          ...{ domain: 'a.test', upstream: 'http://127.0.0.1:3000', weight: 2 },
          ...{ workers: 2, up: 1, active: 3, requests: 40, failures: 5 },
        },
      ]),
    traffic: () =>
      Promise.resolve({ requests: 12, connections: 3, refused: { server: 1, address: 2 } }),
    namesOf: (domain) => {
      if (domain === 'a.test') return ['a.test', 'www.a.test']
      return ['www.a.test', 'xn--bcher-kva.test', 'b.test', 'c.test'].includes(domain)
        ? [domain]
        : []
    },
    purge(scopes) {
      purges.push(scopes)
      return Promise.resolve({ sequence: purges.length, workers: 2 })
    },
    ...over,
  }
  const app = createManagementApp({
    port,
    token: TOKEN,
    log: { error: (message, fields) => logged.push([message, fields]) },
  })
  return {
    purges,
    logged,
    async text(path, token = TOKEN) {
      const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` })
      const response = await app(new Request(`${BASE}${path}`, { headers }))
      const type = response.headers.get('content-type')
      return { status: response.status, body: await response.text(), type }
    },
    async ask(path, { method = 'GET', token = TOKEN, host, body } = {}) {
      const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` })
      const request = new Request(host === undefined ? `${BASE}${path}` : `http://${host}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const response = await app(request)
      const text = await response.text()
      return {
        status: response.status,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        headers: response.headers,
      }
    },
  }
}

const purge = (
  query: string,
  expected: { scopes: PurgeScope[]; asked: Record<string, unknown> },
): ContractCase =>
  contractCase(`POST purge${query} purges exactly that`, async () => {
    const { ask, purges } = create()
    const { status, body } = await ask(`/api/v1/cache/purge${query}`, { method: 'POST' })
    same(status, 200)
    same(purges, [expected.scopes])
    same(body, { purged: true, ...expected.asked, sequence: 1, workers: 2 })
  })

const refused = (
  name: string,
  path: string,
  options: Parameters<Subject['ask']>[1],
  status: number,
): ContractCase =>
  contractCase(`${name}: ${status}, and nothing is purged`, async () => {
    const { ask, purges } = create()
    const answer = await ask(path, options)
    same(answer.status, status)
    same(Object.keys(answer.body), ['error'])
    holds(answer.headers.get('content-type')?.startsWith('application/json') === true, 'JSON')
    same(purges, [])
  })

const PURGE = '/api/v1/cache/purge'
const post = { method: 'POST' }
const badPurges = [
  '?path=/x',
  '?unknown=1',
  '?domain=a.test&soft=yes',
  '?soft=1&soft=1',
  '?soft=1&path=/x',
  '?tag=a,,b',
  '?domain=a.test,b%20c',
  '?domain=',
  '?tag=',
  '?domain=a.test&path=/x&path=/y',
  '?domain=a.test&path=',
  '?domain=a.test&path=x',
  '?domain=a.test&path=/../etc',
  '?domain=a.test&path=/a/%2e%2e/b',
  '?domain=a.test&path=/a/%252e%252e/b',
  '?domain=a.test&path=/a%3Fb',
  '?domain=a.test&path=/a%00b',
  '?domain=a.test&path=*',
  '?domain=a.test&path=/a/../*',
  '?path=/blog/*',
  `?tag=${Array.from({ length: 1001 }, (_, i) => i).join(',')}`,
  `?domain=a.test&path=/${'x'.repeat(8200)}`,
  '?domain=a.test/x',
  '?domain=a%20b',
  '?domain=http://a.test',
  '?domain=a*.test',
  `?domain=${'a'.repeat(254)}`,
  '?tag=a&domain=a.test',
  '?tag=a%20b',
  `?tag=${'x'.repeat(1025)}`,
]

/** What the management API keeps to. */
export const managementContract = (): ContractCase[] => [
  purge('', { scopes: purgeAll(), asked: { scope: 'all' } }),
  purge('?domain=A.test', {
    scopes: purgeDomain('a.test'),
    asked: { scope: 'domain', domain: 'a.test' },
  }),
  purge('?domain=unknown.test', {
    scopes: purgeDomain('unknown.test'),
    asked: { scope: 'domain', domain: 'unknown.test', unknown_domains: ['unknown.test'] },
  }),
  purge('?domain=b%C3%BCcher.test', {
    scopes: purgeDomain('xn--bcher-kva.test'),
    asked: { scope: 'domain', domain: 'xn--bcher-kva.test' },
  }),
  purge('?domain=a.test&path=/blog/post', {
    scopes: purgePath(['a.test', 'www.a.test'], '/blog/post'),
    asked: { scope: 'path', domain: 'a.test', path: '/blog/post' },
  }),
  purge('?domain=a.test&path=/%2541%252fb/%25E6%2597%25A5', {
    scopes: purgePath(['a.test', 'www.a.test'], '/A%2Fb/日'),
    asked: { scope: 'path', domain: 'a.test', path: '/A%2Fb/日' },
  }),
  purge('?domain=www.a.test&path=/', {
    scopes: purgePath(['www.a.test'], '/'),
    asked: { scope: 'path', domain: 'www.a.test', path: '/' },
  }),
  purge('?domain=a.test&path=/blog/*', {
    scopes: purgePrefix(['a.test', 'www.a.test'], '/blog/'),
    asked: { scope: 'prefix', domain: 'a.test', path: '/blog/*' },
  }),
  purge('?domain=www.a.test&path=/*', {
    scopes: purgePrefix(['www.a.test'], '/'),
    asked: { scope: 'prefix', domain: 'www.a.test', path: '/*' },
  }),
  purge('?tag=Post-1,b&tag=c&tag=b', {
    scopes: ['post-1', 'b', 'c'].flatMap(purgeTag),
    asked: { scope: 'tag', tags: ['post-1', 'b', 'c'] },
  }),
  purge('?domain=a.test,c.test&domain=b.test', {
    scopes: ['a.test', 'c.test', 'b.test'].flatMap(purgeDomain),
    asked: { scope: 'domain', domains: ['a.test', 'c.test', 'b.test'] },
  }),
  purge('?domain=a.test,b.test&path=/x', {
    scopes: purgePath(['a.test', 'www.a.test', 'b.test'], '/x'),
    asked: { scope: 'path', domains: ['a.test', 'b.test'], path: '/x' },
  }),
  purge('?soft=1', { scopes: softly(purgeAll()), asked: { scope: 'all', soft: true } }),
  purge('?soft=0', { scopes: purgeAll(), asked: { scope: 'all' } }),
  purge('?tag=a&soft=true', {
    scopes: softly(purgeTag('a')),
    asked: { scope: 'tag', tag: 'a', soft: true },
  }),
  purge('?domain=a.test&path=/b*&soft=1', {
    scopes: softly(purgePrefix(['a.test', 'www.a.test'], '/b')),
    asked: { scope: 'prefix', domain: 'a.test', path: '/b*', soft: true },
  }),
  purge('?tag=Post-1', { scopes: purgeTag('post-1'), asked: { scope: 'tag', tag: 'post-1' } }),
  ...badPurges.map((query) => refused(`purge${query.slice(0, 60)}`, PURGE + query, post, 400)),
  refused('purge with a body', PURGE, { ...post, body: '{"domain":"a.test"}' }, 400),
  refused('purge by GET', PURGE, {}, 405),
  refused('purge by DELETE', PURGE, { method: 'DELETE' }, 405),
  refused('purge without a token', PURGE, { ...post, token: null }, 401),
  refused('purge with a wrong token', PURGE, { ...post, token: `${TOKEN}x` }, 401),
  refused('purge with a part of the token', PURGE, { ...post, token: TOKEN.slice(0, 8) }, 401),
  refused('purge with the token twice', PURGE, { ...post, token: TOKEN + TOKEN }, 401),
  refused('purge under a foreign name', PURGE, { ...post, host: 'evil.test:8090' }, 400),
  refused('status under a foreign name', '/api/v1/status', { host: 'evil.test' }, 400),
  refused('a name that only begins as ours', '/health', { host: '127.0.0.1.evil.test' }, 400),
  refused('stats without a token', '/api/v1/cache/stats', { token: null }, 401),
  refused('config without a token', '/api/v1/cache/config', { token: null }, 401),
  refused('an unknown path', '/api/v1/nothing', {}, 404),
  refused('an unknown path without a token', '/api/v1/nothing', { token: null }, 401),
  refused('status by POST', '/api/v1/status', post, 405),
  refused('status with a parameter', '/api/v1/status?x=1', {}, 400),
  contractCase('405 names the methods that are possible', async () => {
    const { ask } = create()
    same((await ask(PURGE)).headers.get('allow'), 'POST')
    same((await ask('/api/v1/status', post)).headers.get('allow'), 'GET, HEAD')
  }),
  contractCase('health and status need no token, under every name of this machine', async () => {
    const { ask } = create()
    for (const host of ['127.0.0.1:8090', 'localhost', '[::1]:8090', '127.1.2.3']) {
      const health = await ask('/health', { token: null, host })
      same([health.status, health.body], [200, { status: 'ok' }], host)
    }
    const { status, body } = await ask('/api/v1/status', { token: null })
    same(status, 200)
    same(body, {
      ...{ status: 'ok', version: '1.0.0', uptime_secs: 5, workers: 2, virtual_hosts: 1 },
      stalls: [{ at: '2026-01-02 03:04:05', secs: 5, ended: true }],
    })
    same((await ask('/api/v1/status', { token: `${TOKEN}x` })).body, body, 'a wrong token')
    same((await ask('/api/v1/status')).body, { ...body, stalls: [STALL] })
    same((await ask('/api/v1/status', { method: 'HEAD', token: null })).status, 200)
  }),
  contractCase('config shows every key and no secret', async () => {
    const { status, body } = await create().ask('/api/v1/cache/config')
    same(status, 200)
    holds(!JSON.stringify(body).includes(SECRET), 'no secret in the answer')
    const cache = body.cache as Record<string, unknown>
    same(Object.keys(cache), Object.keys(DEFAULT_CACHE_CONFIG))
    same(cache.redis_url, 'redis://user:***@127.0.0.1:6379/1')
    same(body.virtual_hosts, [
      { domain: 'a.test', aliases: ['www.a.test'], cache: DEFAULT_CACHE_RULE },
    ])
  }),
  contractCase('stats are sums with a ratio', async () => {
    const counters = {
      hits: 3,
      stale_hits: 1,
      misses: 1,
      hit_ratio: 0.75,
      bypasses: { cookie: 2 },
      stores: 1,
      bytes_served: 99,
    }
    const { body } = await create().ask('/api/v1/cache/stats')
    for (const [name, value] of Object.entries({
      ...counters,
      purges: 4,
      l1: { entries: 1, bytes: 900, limit_bytes: 1000, evictions: 0 },
      l2: null,
      virtual_hosts: { 'a.test': counters },
    })) {
      same((body as Record<string, unknown>)[name], value, name)
    }
  }),
  contractCase('metrics are Prometheus text with the same sums, and need the token', async () => {
    const { text } = create()
    same((await text('/metrics', null)).status, 401)
    const { status, body, type } = await text('/metrics')
    same(status, 200)
    same(type, 'text/plain; version=0.0.4; charset=utf-8')
    const lines = body.split('\n')
    for (const line of [
      '# TYPE berth_cache_hits_total counter',
      'berth_info{version="1.0.0"} 1',
      'berth_workers 2',
      'berth_requests_total 12',
      'berth_connections 3',
      'berth_connections_refused_total{limit="server"} 1',
      'berth_connections_refused_total{limit="address"} 2',
      'berth_cache_hits_total{host="a.test"} 3',
      'berth_cache_bypasses_total{host="a.test",reason="cookie"} 2',
      'berth_cache_purges_total 4',
      'berth_upstream_up{host="a.test",upstream="http://127.0.0.1:3000"} 0.5',
      'berth_upstream_active{host="a.test",upstream="http://127.0.0.1:3000"} 3',
      'berth_upstream_requests_total{host="a.test",upstream="http://127.0.0.1:3000"} 40',
      'berth_upstream_failures_total{host="a.test",upstream="http://127.0.0.1:3000"} 5',
      'berth_cache_bytes{layer="l1"} 900',
      'berth_cache_layer_state{layer="l1",state="up"} 1',
      'berth_cache_layer_state{layer="l2",state="off"} 1',
    ]) {
      holds(lines.includes(line), line)
    }
    holds(!body.includes(SECRET), 'no secret in the answer')
    for (const line of lines.slice(0, -1)) {
      holds(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\n]*",?)+\})? [\d.]+)$/.test(line), line)
    }
    same(lines.at(-1), '', 'ends with a line feed')
  }),
  contractCase('a purge that failed is no success, and its cause stays in the log', async () => {
    const { ask, logged } = create({ purge: () => Promise.reject(new Error(SECRET)) })
    const { status, body } = await ask(PURGE, post)
    same(status, 500)
    holds(!JSON.stringify(body).includes(SECRET), 'no cause in the answer')
    same(logged.length, 1)
  }),
  {
    name: 'a token too short to protect anything is refused at the start',
    run() {
      const port = {} as ManagementPort
      const start = () => createManagementApp({ port, token: '', log: { error: () => undefined } })
      let refusal = ''
      try {
        start()
      } catch (error) {
        refusal = error instanceof Error ? error.message : ''
      }
      holds(refusal.includes('shorter than 16'), 'refused')
      return Promise.resolve()
    },
  },
]
