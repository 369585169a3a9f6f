import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WebProcess } from '../web-server/support/web-process.ts'
import { ask, startApp, startProxied, type RunningApp } from './support/proxied-web.ts'

let app: RunningApp
let web: WebProcess
let runs: string[] = []
beforeAll(async () => {
  app = await startApp((message, out) => {
    runs.push(message.url ?? '')
    const [path] = (message.url ?? '').split('?')
    if (path === '/private') out.setHeader('cache-control', 'private')
    if (path === '/cookie') out.setHeader('set-cookie', 'a=b')
    if (path === '/tagged') out.setHeader('x-cache-tag', 'front')
    if (path === '/error') out.statusCode = 500
    out.setHeader('content-type', path === '/json' ? 'application/json' : 'text/html')
    out.end(`${path} ${message.headers['x-forwarded-proto']} ${runs.length}`)
  })
  web = await startProxied(app)
})
afterAll(async () => {
  await web.remove()
  await app.close()
})

const cached = async (path: string, headers: Record<string, string> = {}) => {
  const { status, text, headers: got } = await ask(web.port, path, { headers })
  return { status, text, cache: got['x-cache'] }
}

describe("an application's pages in the page cache", () => {
  it('are stored when they are for everybody, purged, and asked for once', async () => {
    runs = []
    const all = await Promise.all(Array.from({ length: 10 }, () => cached('/page')))
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    expect(await cached('/page')).toMatchObject({ cache: 'HIT', status: 200 })
    expect(runs).toEqual(['/page'])
    await web.control('POST', '/purge', { domains: ['p.test'] })
    expect(await cached('/page')).toMatchObject({ cache: 'MISS' })
  })

  it.each(['/private', '/cookie', '/json', '/error', '/page?query=1'])(
    'are not stored otherwise: %s',
    async (path) => {
      expect(await cached(path)).toMatchObject({ cache: 'MISS' })
      expect(await cached(path)).toMatchObject({ cache: 'MISS' })
    },
  )

  it('are not given to whom a session cookie makes known', async () => {
    await cached('/known')
    expect(await cached('/known')).toMatchObject({ cache: 'HIT' })
    expect(await cached('/known', { cookie: 'PHPSESSID=1' })).toMatchObject({ cache: 'MISS' })
  })

  it('are purged by their tags, which no visitor sees', async () => {
    const first = await ask(web.port, '/tagged')
    expect(first.headers).not.toHaveProperty('x-cache-tag')
    expect(await cached('/tagged')).toMatchObject({ cache: 'HIT' })
    const purged = await web.management('POST', '/api/v1/cache/purge?tag=front')
    expect(purged.status).toBe(200)
    expect(await cached('/tagged')).toMatchObject({ cache: 'MISS' })
  })

  it('cannot be poisoned by what a client says of itself', async () => {
    const evil = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.test', host: 'p.test:9' }
    expect((await cached('/clean', evil)).text).toMatch(/^\/clean http \d+$/)
    expect(await cached('/clean')).toMatchObject({ cache: 'HIT' })
  })

  it('are not looked at for a WebSocket', async () => {
    await cached('/ws')
    expect(await cached('/ws')).toMatchObject({ cache: 'HIT' })
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    expect((await cached('/ws', upgrade)).cache).not.toBe('HIT')
  })
})
