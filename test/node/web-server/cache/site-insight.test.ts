import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { SiteCacheInsight } from '#handlers/ports/host/cache/page-cache.ts'
import { phpHost } from '../support/php-site.ts'
import { eventually } from '../support/web-process.ts'
import { php, sharePhpSite } from '../support/shared-php-site.ts'
import { shareWeb, web } from '../support/shared-web.ts'

const PAGE = `<?php
if (isset($_SERVER['HTTP_X_PURGES'])) header('X-Cache-Purge: ' . $_SERVER['HTTP_X_PURGES']);
if ($_SERVER['REQUEST_URI'] === '/basket') setcookie('basket', 'x');
if ($_SERVER['REQUEST_URI'] === '/sleep') usleep(600000);
echo 'page';
`

sharePhpSite()
beforeAll(async () => {
  writeFileSync(join(php.root, 'index.php'), PAGE)
})
shareWeb(() => ({
  workers: 2,
  more: [phpHost(php, 'p.test', 'aliases = ["www.p.test"]'), phpHost(php, 'q.test')].join(''),
}))

const insightOf = async (domain: string): Promise<SiteCacheInsight> =>
  (await web.control('POST', '/cache/insight', { domain })).body as SiteCacheInsight
const ask = (
  host: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<number> =>
  new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port: web.port, method, path, agent: false }
    const outgoing = request({ ...to, headers: { host, ...headers } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })

it('tells of each site what was seen by all workers, its other names included', async () => {
  const before = Date.now()
  for (let i = 0; i < 6; i++) {
    await ask(i % 2 === 0 ? 'p.test' : 'www.p.test', '/private', {
      cookie: 'PHPSESSID=hidden',
    })
    await ask('p.test', '/?utm_campaign=x')
    await ask('p.test', '/basket')
  }
  const insight = await insightOf('p.test')
  const counts = Object.fromEntries(insight.reasons.map(({ name, count }) => [name, count]))
  expect(counts).toMatchObject({ cookie: 6, query: 6, 'set-cookie': 6 })
  expect(insight.cookies).toEqual([{ name: 'PHPSESSID', count: 6 }])
  expect(insight.click_ids_only).toBe(6)
  expect(insight.pages).toContainEqual({ path: '/basket', count: 6, reason: 'set-cookie' })
  expect(insight.since_ms).toBeLessThanOrEqual(before)
  expect(JSON.stringify(insight)).not.toContain('hidden')
  expect((await insightOf('q.test')).reasons).toEqual([])
  expect((await web.control('POST', '/cache/insight', { domain: 'www.p.test' })).status).toBe(404)
})

it('tells what purged a site and why', async () => {
  await ask('p.test', '/one', { 'x-purges': '/two' })
  await ask('p.test', '/form', {}, 'POST')
  const token = readFileSync(join(web.directory, 'run/management.token'), 'utf8').trim()
  const authorization = `Bearer ${token}`
  expect(await ask('p.test', '/three', { authorization }, 'PURGE')).toBe(200)
  await web.control('POST', '/cache/purge', {
    domain: 'p.test',
    scope: { kind: 'all' },
    cause: 'panel:lena',
  })
  const { purges } = await insightOf('p.test')
  expect(purges.map(({ cause, items }) => [cause, items])).toEqual([
    ['panel:lena', []],
    ['purge-method', ['/three']],
    ['unsafe-request', ['/form']],
    ['php', ['/two']],
  ])
  expect((await insightOf('q.test')).purges).toEqual([])
})

it('tells what the workers spent on a site, and nothing of what PHP did meanwhile', async () => {
  const spentOn = async (domain: string): Promise<number> =>
    (await insightOf(domain)).worker_cpu.reduce((sum, { ms }) => sum + ms, 0)
  const before = await spentOn('p.test')
  expect(await spentOn('q.test')).toBe(0)
  const beganMs = performance.now()
  await eventually('a step is full', async () => {
    await ask('www.p.test', '/private', { cookie: 'PHPSESSID=x' })
    return (await spentOn('p.test')) > before
  })
  const spentMs = (await spentOn('p.test')) - before
  expect(spentMs % 10).toBe(0)
  expect(spentMs).toBeLessThan(performance.now() - beganMs + 20)
  // PHP sleeps, and so nobody spends anything.
  const slept = await spentOn('q.test')
  await ask('q.test', '/sleep', { cookie: 'PHPSESSID=x' })
  expect((await spentOn('q.test')) - slept).toBeLessThan(300)
})
