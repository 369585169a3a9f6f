import { expect, test } from 'vitest'
import { createHostRegistry } from '#adapters/node/web-server/host-registry.ts'
import type { FileRequest } from '#adapters/node/web-server/http1/fast/file-fast-path.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import { createMissingFastPath } from '#adapters/node/web-server/http1/fast/missing-fast-path.ts'
import { createRequestClass } from '#adapters/node/web-server/http1/head/request-class.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'

const FIELDS: [string, string][] = [
  ['content-type', 'text/html'],
  ['cache-status', 'berth; fwd=uri-miss; detail=status'],
  ['x-cache', 'MISS'],
]

const setUp = (change: Partial<VirtualHostConfig> = {}) => {
  const clock = new HttpClock()
  clock.nowMs = 1_000_000
  clock.second = 1000
  const { php } = hostConfig('a.test')
  const vhost = hostConfig('a.test', { php: { ...php, enable: false }, proxy: null, ...change })
  const registry = createHostRegistry([vhost])
  const looked: string[] = []
  const counted: string[] = []
  const state = { unruled: true, there: false as boolean | null }
  const way = createMissingFastPath({
    hosts: registry.table,
    cache: { countRepeated: (host, status) => void counted.push(`${host} ${status}`) },
    classOf: createRequestClass({ isOn: true, ignoreQueryParams: [] }),
    isUnruled: () => state.unruled,
    isThere: (_home, path) => {
      looked.push(path)
      return state.there
    },
    clock,
  })
  const asked = (host = 'a.test', more: Partial<FileRequest> = {}): FileRequest => ({
    ...{ host, query: null, hasBypassCookie: () => false, acceptEncoding: null },
    ...more,
  })
  const keep = (request = asked(), fields = FIELDS): void =>
    way.remember(request, false, vhost, clock.nowMs, { fields, body: Buffer.from('nothing') })
  const has = (path = '/x', request = asked(), isPlain = true, secure = false): boolean =>
    way.find(request, path, isPlain, secure) !== null
  return { way, vhost, clock, registry, looked, counted, state, asked, keep, has }
}

test('a name that no site has is answered whatever is asked of it, but for challenges', () => {
  const { has, asked } = setUp()
  expect(has('/x', asked('nobody.test'))).toBe(true)
  expect(has('/x', asked('nobody.test', { query: 'a' }), false, true)).toBe(true)
  expect(has('/.well-known/acme-challenge/token', asked('nobody.test'))).toBe(false)
  // No name at all is a bad request.
  expect(has('/x', asked(''))).toBe(false)
})

test("a site's answer is given for every path where nothing is, for a second", () => {
  const { has, keep, looked, clock, state, vhost, way, counted, asked } = setUp({ htaccess: false })
  expect(has()).toBe(false)
  keep()
  expect(has('/x/y')).toBe(true)
  expect(looked).toEqual([`${vhost.root}/x/y`])
  expect(has('/.env')).toBe(true)
  expect(looked).toHaveLength(1)
  for (const there of [true, null]) {
    state.there = there
    expect(has('/x')).toBe(false)
  }
  state.there = false
  expect(has('/')).toBe(false)
  expect(has('/x', asked(), false)).toBe(false)
  expect(has('/x', asked('a.test', { query: 'q' }))).toBe(false)
  expect(has('/x', asked('a.test', { acceptEncoding: 'gzip' }))).toBe(false)
  expect(has('/x', asked(), true, true)).toBe(false)
  const failure = way.find(asked(), '/x', true, false)
  if (failure !== null) way.count('a.test', failure)
  expect(counted).toEqual(['a.test berth; fwd=uri-miss; detail=status'])

  expect(way.wants(asked(), false, vhost)).toBe(false)
  clock.nowMs += 750
  expect(way.wants(asked(), false, vhost)).toBe(true)
  // A few renew it, the others need not wait for them.
  expect(Array.from({ length: 6 }, () => has())).toEqual([false, false, false, false, true, true])
  clock.nowMs += 250
  expect(has()).toBe(false)
})

test('where rules may lie on the way the first directory decides, and rules that are known end it', () => {
  const { has, keep, looked, state, vhost } = setUp({ htaccess: true })
  keep()
  expect(has('/a/b/c')).toBe(true)
  expect(looked).toEqual([`${vhost.root}/a`])
  state.unruled = false
  expect(has('/a/b/c')).toBe(false)
})

test.each<[string, Partial<VirtualHostConfig>]>([
  ['suspended', { suspended: true }],
  ['over its traffic', { over_bandwidth: true }],
  ['on https alone', { redirect_https: true }],
  ['changed in any way', {}],
])('a site that is %s has no answer any more', (_what, change) => {
  const { has, keep, registry, vhost } = setUp()
  keep()
  expect(has()).toBe(true)
  registry.apply({ put: [{ ...vhost, ...change }], removed: [] })
  expect(has()).toBe(false)
})

test.each<[string, Partial<VirtualHostConfig>]>([
  ['PHP', { php: { ...hostConfig('a.test').php, enable: true } }],
  ['exclusions', { cache: { ...hostConfig('a.test').cache, exclude: ['/x'] } }],
])('nothing is kept of a site with %s', (_what, change) => {
  const { way, vhost, asked } = setUp(change)
  expect(way.wants(asked(), false, vhost)).toBe(false)
})

test.each<[string, [string, string][]]>([
  ['a cookie', [['set-cookie', 'a=b']]],
  ['what the cache stored', [['cache-status', 'berth; fwd=uri-miss; stored']]],
  ['an age', [['age', '1']]],
])('an answer with %s is not given again', (_what, fields) => {
  const { has, keep, asked } = setUp()
  keep(asked(), fields)
  expect(has()).toBe(false)
})
