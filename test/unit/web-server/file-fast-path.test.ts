import { describe, expect, it } from 'vitest'
import { createHostRegistry } from '#adapters/node/web-server/host-registry.ts'
import {
  createFileFastPath,
  type FileRequest,
} from '#adapters/node/web-server/http1/fast/file-fast-path.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import { hasBypassCookie } from '#edge-cache/index.ts'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'

const FIELDS = [
  ['content-type', 'text/css'],
  ['etag', '"1-2-3"'],
  ['cache-status', 'berth; fwd=uri-miss'],
  ['x-cache', 'MISS'],
] as const
const BODY = Buffer.from('a { color: red }')

const setUp = (first: VirtualHostConfig = hostConfig('a.test', { aliases: ['www.a.test'] })) => {
  const clock = new HttpClock()
  clock.nowMs = 1_000_000
  clock.second = 1000
  const registry = createHostRegistry([first, hostConfig('b.test')])
  let edition: string | null = 'one'
  const counted: string[] = []
  const way = createFileFastPath({
    hosts: registry.table,
    cache: { countRepeated: (host, status) => void counted.push(`${host} ${status}`) },
    editionOf: (_host, path, withQuery) => (withQuery && path === '/q.css' ? null : edition),
    ignoreQueryParams: ['utm_*'],
    clock,
    limitBytes: 100_000,
  })
  const asked = (host = 'a.test', query: string | null = null, cookie = ''): FileRequest => ({
    host,
    query,
    hasBypassCookie: ({ cache }) => hasBypassCookie(cookie, cache.bypass_cookies),
    acceptEncoding: null,
  })
  const put = (
    request = asked(),
    path = '/a.css',
    fields: readonly (readonly [string, string])[] = FIELDS,
  ) => {
    const vhost = registry.table().find(request.host)
    if (vhost === null) throw new Error('no such host')
    way.remember(request, false, { vhost, path, edition: 'one' }, clock.nowMs, {
      fields,
      body: BODY,
    })
  }
  return {
    ...{ way, clock, registry, counted, asked, put },
    /** Whether a request is answered from memory. */
    has: (request = asked(), path = '/a.css', secure = false) =>
      way.find(request, path, secure) !== null,
    setEdition: (now: string | null) => (edition = now),
    change: (change: Partial<VirtualHostConfig>) =>
      registry.apply({ put: [{ ...first, ...change }], removed: [] }),
  }
}

describe('remembered files', () => {
  it('are given for the name, path and scheme that they were asked for', () => {
    const { put, has, asked } = setUp()
    put()
    expect(has()).toBe(true)
    expect(has(asked('www.a.test'))).toBe(false)
    expect(has(asked('b.test'))).toBe(false)
    expect(has(asked('stranger.test'))).toBe(false)
    expect(has(asked(), '/A.css')).toBe(false)
    expect(has(asked(), '/a.css', true)).toBe(false)
  })

  it('are given in the coding that the client prefers, where they vary by it', () => {
    const { put, has, asked } = setUp()
    const accept = (acceptEncoding: string | null) => ({ ...asked(), acceptEncoding })
    const VARY = [...FIELDS, ['vary', 'Cookie, Accept-Encoding']] as const
    put(accept('gzip, br'), '/a.css', VARY)
    for (const field of ['br', 'gzip;q=0.5, br', '*']) expect(has(accept(field))).toBe(true)
    for (const field of ['gzip', 'identity', '', null, 'br;q=0.5, gzip'])
      expect(has(accept(field))).toBe(false)
    put(accept(null), '/a.css', VARY)
    for (const field of [null, '', 'identity', 'zstd']) expect(has(accept(field))).toBe(true)
    expect(has(accept('gzip'))).toBe(false)
    // It does not vary any more.
    put(accept('br'))
    for (const field of [null, 'gzip', 'br']) expect(has(accept(field))).toBe(true)
  })

  it('are given for a second, and renewed by a few before it is over', () => {
    const { put, has, clock } = setUp()
    put()
    clock.nowMs += 700
    expect(has()).toBe(true)
    clock.nowMs += 100
    const renewing = Array.from({ length: 20 }, () => has()).filter((found) => !found)
    expect(renewing).toHaveLength(4)
    expect(has()).toBe(true)
    clock.nowMs += 200
    expect(has()).toBe(false)
    put()
    expect(has()).toBe(true)
    clock.nowMs -= 1
    expect(has()).toBe(false)
  })

  it('are not given once the site is closed, moved or configured anew', () => {
    const changes: Partial<VirtualHostConfig>[] = [
      { suspended: true },
      { over_bandwidth: true },
      { redirect_https: true },
      { headers: { 'x-new': '1' } },
    ]
    for (const one of changes) {
      const { put, has, change } = setUp()
      put()
      expect(has()).toBe(true)
      change(one)
      expect(has()).toBe(false)
    }
    const { put, has, registry } = setUp()
    put()
    registry.apply({ put: [], removed: ['a.test'] })
    expect(has()).toBe(false)
  })

  it('are not given under other rules, or under rules that must be asked', () => {
    const { put, has, setEdition } = setUp()
    put()
    setEdition('two')
    expect(has()).toBe(false)
    setEdition(null)
    expect(has()).toBe(false)
    setEdition('one')
    expect(has()).toBe(true)
    setEdition(null)
    put(undefined, '/other.css')
    setEdition('one')
    expect(has(undefined, '/other.css')).toBe(false)
  })

  it('tell apart what the page cache tells apart', () => {
    const { put, has, asked } = setUp()
    put()
    expect(has(asked('a.test', 'ver=1'))).toBe(false)
    put(asked('a.test', 'ver=1'))
    expect(has(asked('a.test', 'ver=2'))).toBe(true)
    expect(has(asked('a.test', 'utm_source=x'))).toBe(false)
    const member = asked('a.test', null, 'wordpress_logged_in_1=x')
    expect(has(member)).toBe(false)
    put(member)
    expect(has(member)).toBe(true)
    put(asked('a.test', 'ver=1'), '/q.css')
    expect(has(asked('a.test', 'ver=1'), '/q.css')).toBe(false)
  })

  it('leave virtual hosts alone whose cache stores files itself', () => {
    const http = setUp(hostConfig('a.test', { cache: { ...DEFAULT_CACHE_RULE, mode: 'http' } }))
    http.put()
    expect(http.has()).toBe(false)
    const off = setUp(
      hostConfig('a.test', { cache: { ...DEFAULT_CACHE_RULE, mode: 'http', enable: false } }),
    )
    off.put()
    expect(off.has()).toBe(true)
  })

  it.each([['set-cookie'], ['date'], ['age']])('are none with a field %s', (name) => {
    const { put, has } = setUp()
    put(undefined, '/a.css', [...FIELDS, [name, 'x']])
    expect(has()).toBe(false)
  })

  it('are none of an authority’s challenges', () => {
    const { put, has } = setUp()
    put(undefined, '/.well-known/acme-challenge/token')
    expect(has(undefined, '/.well-known/acme-challenge/token')).toBe(false)
  })

  it('are counted as the page cache counted the first', () => {
    const { put, way, asked, counted } = setUp()
    put()
    const file = way.find(asked(), '/a.css', false)
    if (file !== null) way.count(file)
    expect(counted).toEqual(['a.test berth; fwd=uri-miss'])
  })

  it('are bounded, and those that are asked for stay', () => {
    const { put, has } = setUp()
    put(undefined, '/kept.css')
    for (let i = 0; i < 200; i++) {
      put(undefined, `/${i}.css`)
      expect(has(undefined, '/kept.css')).toBe(true)
    }
    const kept = Array.from({ length: 200 }, (_, i) => has(undefined, `/${i}.css`))
    expect(kept[0]).toBe(false)
    expect(kept[199]).toBe(true)
    expect(kept.filter(Boolean).length).toBeLessThan(30)
  })

  it('are answered whole, as a head alone, and as not modified', () => {
    const { put, way, asked, clock } = setUp()
    clock.httpDate = 'Sun, 22 Nov 2026 05:00:00 GMT'
    put()
    const file = way.find(asked(), '/a.css', false)
    const shown = (kind: 'get' | 'head' | 'not-modified') =>
      file?.answer(kind, clock).bytes.toString('latin1')
    const common = `etag: "1-2-3"\r\ncache-status: berth; fwd=uri-miss\r\nx-cache: MISS\r\ndate: ${clock.httpDate}\r\n`
    const head = `HTTP/1.1 200 OK\r\ncontent-type: text/css\r\n${common}content-length: 16\r\n\r\n`
    expect(shown('get')).toBe(`${head}a { color: red }`)
    expect(shown('head')).toBe(head)
    expect(shown('not-modified')).toBe(`HTTP/1.1 304 Not Modified\r\n${common}\r\n`)
    expect(file?.fieldResponse('not-modified', clock)).toMatchObject({ status: 304, body: null })
    expect(file?.fieldResponse('get', clock).body).toEqual(BODY)
    clock.second++
    clock.httpDate = 'Sun, 22 Nov 2026 05:00:01 GMT'
    expect(shown('head')).toContain('05:00:01')
  })
})
