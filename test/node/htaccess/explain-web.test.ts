import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SiteTestResult } from '#handlers/ports/host/web/site-test.ts'
import { requestSite } from '#test/support/site-request.ts'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'

let web: WebProcess
const root = (): string => join(web.directory, 'site')

beforeAll(async () => {
  web = await startWeb({ workers: 2 })
  mkdirSync(root())
  writeFileSync(join(root(), 'a.html'), 'page')
  writeFileSync(
    join(root(), '.htaccess'),
    'RewriteEngine On\nRewriteRule ^old$ /a.html [R=301,L]\n',
  )
  const host = (domain: string, extra: string): string =>
    `\n[[virtualhost]]\ndomain = "${domain}"\nroot = "${root()}"\nhtaccess = true\n${extra}`
  web.writeHosts('sites', host('one.test', '') + host('two.test', ''))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})
afterAll(() => web?.remove())

const explain = (url: string, more: Record<string, unknown> = {}) =>
  web.control('POST', '/explain', {
    ...{ domain: 'one.test', method: 'GET', url, headers: {}, clientAddress: '127.0.0.1' },
    draft: null,
    ...more,
  })

test('says what the web server then answers, also of rules saved a moment ago', async () => {
  const first = await explain(`http://one.test:${web.port}/old`)
  const { outcome } = first.body as SiteTestResult
  const real = await requestSite({ http: web.port, https: 0 }, `one.test:${web.port}`, '/old', {})
  expect([outcome.status, outcome.location]).toEqual([real.status, real.headers['location']])
  expect(outcome.status).toBe(301)
  for (let round = 0; round < 5; round++) {
    const rules = `RewriteEngine On\nRewriteRule ^old$ /round-${round} [R=302,L]\n`
    writeFileSync(join(root(), '.htaccess'), rules)
    const { body } = await explain('http://one.test/old')
    expect((body as SiteTestResult).outcome.location).toBe(`http://one.test/round-${round}`)
  }
})

test('refuses what is not of the site, and what is no test', async () => {
  expect(await explain('http://two.test/')).toMatchObject({ status: 400, body: { field: 'url' } })
  expect((await explain('http://one.test/', { domain: 'none.test' })).status).toBe(404)
  expect((await explain('file:///etc/passwd')).status).toBe(400)
  expect((await explain('http://one.test/', { method: 'PURGE' })).status).toBe(400)
  expect((await explain('http://one.test/', { draft: 'x'.repeat(131_073) })).status).toBe(400)
})

test('drafts that cost much hold up nobody, and are paid by their site', async () => {
  const slow = `RewriteEngine On\n${'RewriteRule ^(x+x+)+y$ - [F]\n'.repeat(1900)}`
  const attack = Array.from({ length: 40 }, () =>
    explain(`http://one.test/${'x'.repeat(300)}`, { draft: slow }),
  )
  let slowestMs = 0
  let underWay = true
  const over = Promise.all(attack).finally(() => (underWay = false))
  while (underWay) {
    const startMs = performance.now()
    const { status } = await requestSite({ http: web.port, https: 0 }, 'two.test', '/a.html', {})
    expect(status).toBe(200)
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
  }
  const statuses = (await over).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  // What one second gives the site is used up long before all have been thought through.
  expect(statuses).toContain(503)
  expect(slowestMs).toBeLessThan(5000)
  expect(web.workers()).toHaveLength(2)
})
