import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { H2Client } from '../support/h2-client.ts'
import { get, KeptConnection } from '../support/get.ts'
import { editConfig, siteToml, startStaticWeb } from '../support/static-web.ts'
import type { WebProcess } from '../support/web-process.ts'

let web: WebProcess
beforeAll(async () => {
  web = await startStaticWeb()
})
afterAll(() => web.remove())

/** Loads the configuration of some hosts by name of their file. */
const load = async (files: Record<string, string>): Promise<void> => {
  for (const [name, toml] of Object.entries(files)) web.writeHosts(name, toml)
  const { status, body } = await web.control('POST', '/reload')
  expect([status, body]).toEqual([200, expect.anything()])
}

/** Nothing stops visitors but these limits. */
const guard = (rules: string, allow = ''): string => `
[virtualhost.guard]
www = "both"
redirects = []
allow = []
deny = []
protected = []
maintenance = { enabled = false, retry_after_secs = 60, allow = [] }
hotlink = { enabled = false, extensions = [], allow = [] }
rate_limits = { rules = [${rules}], allow = [${allow}] }
`

/** Statuses of as many requests on connections that come to whichever worker. */
const ask = async (host: string, connections: number, each: number): Promise<number[]> => {
  const one = async (): Promise<number[]> => {
    const connection = new KeptConnection(web.port, host)
    const statuses: number[] = []
    for (let n = 0; n < each; n++) statuses.push((await connection.get('/')).status)
    connection.close()
    return statuses
  }
  const all: number[] = []
  for (let n = 0; n < connections; n++) all.push(...(await one()))
  return all
}
const count = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length

it('limits of requests hold over all workers, protocols and what is ready in memory', async () => {
  const rule = '{ path = "/", requests = 1, per_secs = 3600, burst = 64 }'
  await load({ limited: siteToml(web, 'limited.test') + guard(rule) })
  const statuses = await ask('limited.test', 12, 10)
  // Two workers: at most an eighth of the burst is what they may not know of each other.
  expect(count(statuses, 200)).toBeGreaterThanOrEqual(64 - 8)
  expect(count(statuses, 200)).toBeLessThanOrEqual(64 + 8)
  expect(count(statuses, 200) + count(statuses, 429)).toBe(120)
  const refused = await get(web.port, 'limited.test')
  expect([
    refused.status,
    Number(refused.headers['retry-after']),
    refused.headers['cache-control'],
  ]).toEqual([429, expect.any(Number), 'no-store'])
  const client = await H2Client.open(web.sslPort, 'limited.test')
  const streams = await Promise.all(Array.from({ length: 40 }, () => client.get('/')))
  expect(
    count(
      streams.map(({ status }) => status),
      429,
    ),
  ).toBe(40)
  client.close()
  // Nobody is taken for somebody else, and other sites know of no limit.
  const spoofed = await get(web.port, 'limited.test', '/', 'X-Forwarded-For: 203.0.113.9\r\n')
  expect(spoofed.status).toBe(429)
  expect((await get(web.port, 'm.test')).status).toBe(200)
})

it('streams of one connection count each, and what is ready may be free', async () => {
  const rule = '{ path = "/", requests = 1, per_secs = 3600, burst = 10 }'
  const free = '{ path = "/", requests = 1, per_secs = 3600, burst = 10, count_hits = false }'
  await load({
    streams: siteToml(web, 'streams.test') + guard(rule),
    free: siteToml(web, 'free.test') + guard(free),
    exempt: siteToml(web, 'exempt.test') + guard(rule, '"127.0.0.0/8"'),
  })
  const client = await H2Client.open(web.sslPort, 'streams.test')
  const streams = await Promise.all(Array.from({ length: 100 }, () => client.get('/')))
  expect(
    count(
      streams.map(({ status }) => status),
      200,
    ),
  ).toBe(10)
  client.close()
  const freely = await ask('free.test', 1, 100)
  // The files' answers are renewed by a few that count.
  expect(count(freely, 200)).toBeGreaterThan(90)
  expect(count(await ask('exempt.test', 2, 50), 200)).toBe(100)
})

it('a wildcard answers for its names, each with pages of its own, and exact names win', async () => {
  await load({
    wild: siteToml(web, '*.wild.test'),
    one: siteToml(web, 'one.wild.test') + guard('', '').replace('www = "both"', 'www = "with"'),
    below: siteToml(web, 'base.test', 'aliases = ["*.base.test"]'),
  })
  for (const host of ['a.wild.test', 'b.wild.test', 'one.wild.test', 'x.base.test', 'base.test'])
    expect([host, (await get(web.port, host)).status]).toEqual([host, 200])
  for (const host of ['wild.test', 'a.b.wild.test', '*.wild.test', 'awild.test'])
    expect([host, (await get(web.port, host)).status !== 200]).toEqual([host, true])
  for (const path of ['*.wild.test', 'a.wild.test', 'base.test', 'x.base.test'])
    expect((await web.management('POST', `/api/v1/cache/purge?domain=${path}&path=/`)).status).toBe(
      200,
    )
  web.removeHosts('wild')
  await load({})
  expect((await get(web.port, 'a.wild.test')).status).toBe(404)
})

it('a flood of names is counted as the one site that they are of', async () => {
  await load({ wild: siteToml(web, '*.wild.test') })
  await web.control('POST', '/figures', { acknowledged: null })
  const connection = new KeptConnection(web.port, 'x.wild.test')
  for (let n = 0; n < 500; n++) await get(web.port, `n${n}.wild.test`)
  connection.close()
  const report = await web.control('GET', '/cache')
  expect(JSON.stringify(report.body)).not.toContain('n17.wild.test')
})

it('names of nobody are answered as the administrator says, and prove nothing to authorities', async () => {
  const token = { put: [{ token: 'tok', content: 'tok.thumb' }], remove: [] }
  expect((await web.control('POST', '/challenges', token)).status).toBe(200)
  const proof = '/.well-known/acme-challenge/tok'
  expect((await get(web.port, 'stranger.test')).status).toBe(404)
  mkdirSync(join(web.directory, 'state/.well-known/acme-challenge'), { recursive: true })
  writeFileSync(join(web.directory, 'state/.well-known/acme-challenge/own'), 'own file')
  await load({ open: siteToml(web, 'open.test', 'default_host = true\n') })
  for (let n = 0; n < 3; n++) {
    const stranger = await get(web.port, `stranger${n}.test`)
    expect([stranger.status, stranger.headers['x-cache']]).toEqual([200, undefined])
  }
  for (const path of [
    proof,
    '/.well-known/acme-challenge/own',
    '/.well-known/%61cme-challenge/own',
  ])
    expect([path, (await get(web.port, 'stranger.test', path)).status]).toEqual([path, 404])
  expect((await get(web.port, 'm.test', proof)).status).toBe(200)
  for (const host of ['127.0.0.1', 'localhost', '[::1]'])
    expect([host, (await get(web.port, host)).status]).toEqual([host, 404])
  // An account that is closed answers for nobody else either.
  await load({ open: siteToml(web, 'open.test', 'default_host = true\nsuspended = true\n') })
  expect((await get(web.port, 'stranger.test')).status).toBe(404)
  expect((await get(web.port, 'open.test')).status).toBe(503)
  web.removeHosts('open')
  editConfig(
    web,
    /workers = 2/,
    'workers = 2\ndefault_host = { redirect = "https://m.test/hello" }',
  )
  await load({})
  const led = await get(web.port, 'stranger.test', '/any')
  expect([led.status, led.headers['location']]).toEqual([302, 'https://m.test/hello'])
  expect((await get(web.port, 'stranger.test', proof)).status).toBe(404)
})
