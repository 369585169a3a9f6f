import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { afterAll, expect, it } from 'vitest'
import { bundleWorker } from './bundle-worker.ts'

let runs = 0
const hosts = new Set<string>()
const miniflare = new Miniflare({
  modules: true,
  script: await bundleWorker(
    fileURLToPath(new URL('../../edge-cache/examples/worker.ts', import.meta.url)),
  ),
  compatibilityDate: '2026-07-01',
  bindings: { ORIGIN: 'http://origin.test', PURGE_TOKEN: 'secret' },
  outboundService: async ({ url, headers }: { url: string; headers: Headers }) => {
    runs++
    hosts.add(new URL(url).host)
    const said = `run ${runs} at ${headers.get('x-forwarded-host')}`
    if (url.endsWith('/slow')) await new Promise((resolve) => setTimeout(resolve, 100))
    return new Response(said, { headers: { 'content-type': 'text/html' } })
  },
})
afterAll(() => miniflare.dispose())

/** What reaches a Worker of any visitor. */
const AS_CLOUDFLARE = {
  'cf-connecting-ip': '203.0.113.7',
  'cf-ray': '8a1b2c3d4e5f6789-FRA',
  'cf-visitor': '{"scheme":"https"}',
  'x-forwarded-for': '203.0.113.7',
  'x-real-ip': '203.0.113.7',
}

const ask = async (path = '/page', method = 'GET', headers: Record<string, string> = {}) => {
  const response = await miniflare.dispatchFetch(`http://site.test${path}`, {
    method,
    headers: { ...AS_CLOUDFLARE, ...headers },
  })
  const xCache = response.headers.get('x-cache')
  return { status: response.status, xCache, body: await response.text() }
}

it('answers the second view from the store, and a purged page anew', async () => {
  const first = await ask()
  expect(first).toEqual({ status: 200, xCache: 'MISS', body: 'run 1 at site.test' })
  expect(await ask()).toEqual({ status: 200, xCache: 'HIT', body: 'run 1 at site.test' })
  expect((await ask('/page', 'PURGE')).status).toBe(403)
  expect((await ask('/page', 'PURGE', { authorization: 'Bearer secret' })).status).toBe(204)
  expect(await ask()).toEqual({ status: 200, xCache: 'MISS', body: 'run 2 at site.test' })
})

it('asks its origin and nobody else, whatever the path', async () => {
  for (const path of ['//evil.test/page', '/\\\\evil.test/page', '/@evil.test/']) await ask(path)
  expect([...hosts]).toEqual(['origin.test'])
})

it('shows nobody what another visitor claims of proxies', async () => {
  const claimed = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'evil' }
  expect((await ask('/claimed', 'GET', claimed)).body).toContain('site.test')
  expect((await ask('/claimed')).body).toContain('site.test')
})

it('asks once for a page that many want at once', async () => {
  const before = runs
  const crowd = await Promise.all(Array.from({ length: 30 }, () => ask('/slow')))
  expect(new Set(crowd.map(({ body }) => body)).size).toBe(1)
  expect(runs).toBe(before + 1)
})
