import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { hostConfig, startEngine, type EngineServer } from '../support/engine-server.ts'
import { exchange, RawClient, splitResponses } from '../support/raw-client.ts'

let server: EngineServer
afterEach(() => server.close())

const html = (body: string, headers: Record<string, string> = {}): Response =>
  new Response(body, {
    headers: {
      'content-type': 'text/html',
      'content-length': String(new TextEncoder().encode(body).byteLength),
      ...headers,
    },
  })
/** Answers what it was asked; `/slow` takes its time, `/echo` repeats the body. */
const echo =
  (seen: string[] = []): SiteHandler =>
  async (request, context) => {
    seen.push(`${request.method} ${context.rawTarget}`)
    if (context.rawTarget === '/slow') await new Promise((resolve) => setTimeout(resolve, 80))
    if (request.method === 'POST') {
      const text = await request.text()
      return new Response(
        `${request.method} ${context.rawTarget} ${text.length} ${text.slice(0, 20)}`,
      )
    }
    return html(`page ${context.rawTarget}`, { etag: '"v1"', 'x-own': 'kept' })
  }
const get = (target: string, fields = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n`

describe('the fast path', () => {
  it('answers the second request from prebuilt bytes, with the same fields and body', async () => {
    const seen: string[] = []
    server = await startEngine(echo(seen))
    const [first] = splitResponses(await exchange(server.port, get('/')))
    const [second] = splitResponses(await exchange(server.port, get('/')))
    expect(first?.headers['x-cache']).toBe('MISS')
    expect(second?.headers['x-cache']).toBe('HIT')
    expect(second).toMatchObject({ status: 200, body: 'page /', complete: true })
    expect(second?.headers).toMatchObject({
      etag: '"v1"',
      'x-own': 'kept',
      age: expect.stringMatching(/^\d$/),
    })
    expect(server.engine.counters().fastHits).toBe(1)
    expect(seen).toEqual(['GET /'])
    // The slow path to the same entry (taken for its date) tells the same.
    const dated = get('/', 'If-Modified-Since: x\r\n')
    const [cold] = splitResponses(await exchange(server.port, dated))
    expect(server.engine.counters().fastHits).toBe(1)
    const stable = (headers: Record<string, string> | undefined) =>
      Object.fromEntries(
        Object.entries(headers ?? {})
          .filter(([name]) => !['age', 'date', 'cache-status'].includes(name))
          .sort(),
      )
    expect(stable(cold?.headers)).toEqual(stable(second?.headers))
  })

  it('looks past harmless cookies and usual Accept fields only', async () => {
    server = await startEngine(echo())
    await exchange(server.port, get('/'))
    const hot = async (fields: string): Promise<[number, string | undefined]> => {
      const before = server.engine.counters().fastHits
      const [answer] = splitResponses(await exchange(server.port, get('/', fields)))
      return [server.engine.counters().fastHits - before, answer?.headers['x-cache']]
    }
    expect(await hot('Cookie: _ga=1; wordpress_test_cookie=x\r\n')).toEqual([1, 'HIT'])
    expect(await hot('Accept: text/html,application/xhtml+xml;q=0.9\r\n')).toEqual([1, 'HIT'])
    expect(await hot('Cookie: _ga=1; PHPSESSID=x\r\n')).toEqual([0, 'MISS'])
    expect(await hot('Cookie: _ga=1\r\nCookie: wordpress_logged_in_1=x\r\n')).toEqual([0, 'MISS'])
    expect(await hot('Accept: application/json\r\n')).toEqual([0, 'MISS'])
    expect(await hot('X-Requested-With: XMLHttpRequest\r\n')).toEqual([0, 'MISS'])
    expect(await hot('Authorization: Basic eDp5\r\n')).toEqual([0, 'MISS'])
    const rule = { ...DEFAULT_CACHE_RULE, bypass_cookies: ['mine'] }
    server.hosts.set('a.test', hostConfig('a.test', { cache: rule }))
    expect(await hot('Cookie: PHPSESSID=x\r\n')).toEqual([1, 'HIT'])
    expect(await hot('Cookie: mine=x\r\n')).toEqual([0, 'MISS'])
  })

  it('answers HEAD and If-None-Match, and leaves lists of tags to the slow path', async () => {
    server = await startEngine(echo())
    await exchange(server.port, get('/'))
    const head = 'HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\n'
    const [answer] = splitResponses(await exchange(server.port, head), ['HEAD'])
    expect(answer).toMatchObject({ status: 200, body: '' })
    expect(answer?.headers['content-length']).toBe('6')
    for (const tags of ['"v1"', '"x", W/"v1"']) {
      const text = await exchange(server.port, get('/', `If-None-Match: ${tags}\r\n`))
      expect(splitResponses(text)[0]).toMatchObject({ status: 304, body: '' })
    }
    const text = await exchange(server.port, get('/', 'If-None-Match: "other"\r\n'))
    expect(splitResponses(text)[0]).toMatchObject({ status: 200, body: 'page /' })
    expect(server.engine.counters().fastHits).toBe(2)
  })

  it('asks the virtual hosts for every request, on open connections too', async () => {
    server = await startEngine(echo())
    const client = new RawClient(server.port)
    client.write(get('/'))
    await client.until((text) => text.includes('page /'))
    const hits = async (): Promise<number> => {
      const before = server.engine.counters().fastHits
      client.text = ''
      client.write(get('/'))
      await client.until((text) => text.includes('page /'))
      return server.engine.counters().fastHits - before
    }
    expect(await hits()).toBe(1)
    server.hosts.set('a.test', hostConfig('a.test', { suspended: true }))
    expect(await hits()).toBe(0)
    server.hosts.set('a.test', hostConfig('a.test', { redirect_https: true }))
    expect(await hits()).toBe(0)
    const rule = { ...DEFAULT_CACHE_RULE, exclude: ['/'] }
    server.hosts.set('a.test', hostConfig('a.test', { cache: rule }))
    expect(await hits()).toBe(0)
    server.hosts.set('a.test', hostConfig('a.test', { cache: { ...rule, exclude: ['/x*'] } }))
    expect(await hits()).toBe(1)
    server.hosts.delete('a.test')
    expect(await hits()).toBe(0)
    client.destroy()
  })

  it('writes the access log, where no client can forge a line', async () => {
    server = await startEngine(echo())
    await exchange(server.port, get('/'))
    await exchange(server.port, get('/', 'User-Agent: evil" 200 1\xe4\\\r\nReferer: http://r/\r\n'))
    // Written behind the answers.
    const lines = await waitFor(async () => {
      const written = (await server.accessLog()).trim().split('\n')
      expect(written).toHaveLength(2)
      return written
    })
    expect(lines[0]).toMatch(
      /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/ HTTP\/1\.1" 200 6 "-" "-" a\.test MISS \d+\.\d{3}$/,
    )
    expect(lines[1]).toMatch(
      /" 200 6 "http:\/\/r\/" "evil\\x22 200 1\\xe4\\x5c" a\.test HIT 0\.000$/,
    )
  })
})

describe('the order of answers', () => {
  it('is that of the requests, hot, cold and handed over', async () => {
    const seen: string[] = []
    server = await startEngine(echo(seen))
    await exchange(server.port, get('/'))
    const body = 'x'.repeat(30)
    const post = `POST /form HTTP/1.1\r\nHost: a.test\r\nContent-Length: 30\r\n\r\n${body}`
    const text = await exchange(
      server.port,
      `${get('/')}${get('/slow')}${get('/')}${get('/q?1')}${post}${get('/', 'Connection: close\r\n')}`,
      { halfClose: false },
    )
    expect(splitResponses(text).map((answer) => answer.body)).toEqual([
      'page /',
      'page /slow',
      'page /',
      'page /q?1',
      `POST /form 30 ${'x'.repeat(20)}`,
      'page /',
    ])
    expect(server.engine.counters()).toMatchObject({ fastHits: 2, handedOver: 1 })
  })

  it('survives any cut of the bytes', async () => {
    server = await startEngine(echo())
    await exchange(server.port, get('/'))
    const post = 'POST /f HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc'
    const bytes = `${get('/')}${get('/b?x')}${post}${get('/', 'Connection: close\r\n')}`
    for (let cut = 1; cut < bytes.length; cut += 3) {
      const client = new RawClient(server.port)
      client.write(bytes.slice(0, cut))
      await new Promise((resolve) => setTimeout(resolve, 2))
      client.write(bytes.slice(cut))
      await client.closed
      const bodies = splitResponses(client.text).map((answer) => answer.body)
      expect(bodies, `cut at ${cut}`).toEqual(['page /', 'page /b?x', 'POST /f 3 abc', 'page /'])
      client.destroy()
    }
  })

  it('keeps many pipelined hits whole for a client that reads late', async () => {
    const body = 'y'.repeat(30_000)
    server = await startEngine(() => Promise.resolve(html(body)))
    await exchange(server.port, get('/'))
    const client = new RawClient(server.port, { paused: true })
    client.write(get('/').repeat(400))
    await new Promise((resolve) => setTimeout(resolve, 200))
    // The server must not have answered all of it into its own memory.
    expect(server.engine.counters().fastHits).toBeLessThan(400)
    let received = 0
    client.socket.on('data', (chunk: Buffer) => (received += chunk.length))
    client.socket.end()
    await client.closed
    expect(server.engine.counters().fastHits).toBe(400)
    expect(received).toBeGreaterThan(400 * body.length)
  })
})
