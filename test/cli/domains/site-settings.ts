import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

let alice: Tenant
let berth: Berth

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
  await alice.put('public_html/page.html', 'a page')
  await alice.put('public_html/pic.png', 'PNG')
  await alice.put('public_html/start.htm', 'begin here')
  await alice.put('public_html/soon.html', 'back soon')
  await alice.run('mkdir', ['--', alice.path('public_html/in')])
  await alice.put('public_html/in/secret.html', 'inside')
})
afterAll(async () => {
  berth?.remove()
})

const ask = (path: string, headers: Record<string, string> = {}) =>
  instance.site(alice.domain, path, { headers })
const set = (...options: string[]) => berth.ok('site set', [alice.domain, ...options])
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`,
})

test('a page that was stored is closed to whom a rule keeps out, and open again behind it', async () => {
  for (let round = 0; round < 3; round++) expect((await ask('/page.html')).text).toBe('a page')
  await set('--maintenance', '--retry-after', '60', '--error-page', '503 /soon.html')
  const closed = await ask('/page.html')
  expect([closed.status, closed.headers['retry-after'], closed.text]).toEqual([
    503,
    '60',
    'back soon',
  ])
  await set('--maintenance-allow', '127.0.0.0/8')
  expect((await ask('/page.html')).status).toBe(200)
  await set('--no-maintenance', '--deny', '127.0.0.1')
  expect((await ask('/page.html')).status).toBe(403)
  await set('--deny', '', '--allow', '192.0.2.0/24')
  expect((await ask('/page.html')).status).toBe(403)
  await set('--allow', '')
  expect((await ask('/page.html')).status).toBe(200)
})

test('redirects, headers and indexes are served as they were set, and shown', async () => {
  await set(
    ...['--redirect', '302 /old /page.html', '--redirect', '/blog/* https://blog.example/'],
    ...['--header', 'X-Frame-Options: DENY', '--index', 'start.htm', '--www', 'without'],
  )
  const old = await ask('/old?a=1')
  expect([old.status, old.headers['location']]).toEqual([302, '/page.html?a=1'])
  expect((await ask('/blog/x')).headers['location']).toBe('https://blog.example/x')
  const front = await ask('/')
  expect([front.text, front.headers['x-frame-options']]).toEqual(['begin here', 'DENY'])
  const www = await instance.site(`www.${alice.domain}`, '/page.html')
  expect(www.status).toBe(301)
  expect(www.headers['location']).toContain(`//${alice.domain}`)
  const shown = await berth.ok('site show', [alice.domain])
  expect(shown).toContain('302 /old /page.html')
  expect(shown).toContain('301 /blog/* https://blog.example/')
  expect((await ask('/in/')).status).toBe(404)
  await set('--listing', 'on')
  expect((await ask('/in/')).text).toContain('<a href="./secret.html">')
  await set(
    ...['--redirect', '', '--header', '', '--index', '', '--www', 'both', '--listing', 'rules'],
  )
  expect((await ask('/old')).status).toBe(404)
})

test('a path asks for a password until the last one is taken away', async () => {
  expect((await ask('/in/secret.html')).text).toBe('inside')
  const made = await berth.run(
    'site protect',
    [alice.domain, '/in', 'ann', '--realm', 'Inside', '--password-stdin'],
    {
      input: 'open sesame\n',
    },
  )
  expect(made.code).toBe(0)
  for (const path of ['/in/secret.html', '//in/secret.html', '/%69n/secret.html'])
    expect((await ask(path)).status, path).toBe(401)
  const wrong = await ask('/in/secret.html', basic('open'))
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Basic realm="Inside"'])
  expect((await ask('/in/secret.html', basic('open sesame'))).text).toBe('inside')
  expect((await ask('/in/secret.html')).status).toBe(401)
  expect((await ask('/page.html')).status).toBe(200)
  const record = JSON.stringify(await berth.json('site show', [alice.domain]))
  expect([record.includes('ann'), record.includes('$2')]).toEqual([true, false])
  await berth.ok('site unprotect', [alice.domain, '/in', 'ann', '--yes'])
  expect((await ask('/in/secret.html')).text).toBe('inside')
})

test('pictures are kept from foreign pages', async () => {
  await set('--hotlink', '--hotlink-extension', 'png', '--hotlink-allow', 'friend.example')
  expect((await ask('/pic.png', { referer: 'https://evil.example/' })).status).toBe(403)
  expect((await ask('/pic.png', { referer: 'https://friend.example/' })).status).toBe(200)
  expect((await ask('/pic.png', { referer: `http://${alice.domain}/` })).status).toBe(200)
  await set('--no-hotlink')
  expect((await ask('/pic.png', { referer: 'https://evil.example/' })).status).toBe(200)
})

test('an address that asks too often is told to wait, also for what is stored', async () => {
  await set('--rate-limit', '/page.html 1/3600 burst 4', '--rate-limit', '/in 5/60 nohits')
  const statuses: number[] = []
  for (let n = 0; n < 16; n++) statuses.push((await ask('/page.html')).status)
  expect(statuses.slice(-4)).toEqual([429, 429, 429, 429])
  expect(statuses.filter((one) => one === 200).length).toBeLessThan(8)
  const forwarded = await ask('/page.html', { 'x-forwarded-for': '203.0.113.1' })
  expect([forwarded.status, Number(forwarded.headers['retry-after'])]).toEqual([
    429,
    expect.any(Number),
  ])
  const shown = await berth.ok('site show', [alice.domain])
  expect(shown).toContain('/page.html 1/3600 burst 4')
  expect(shown).toContain('/in 5/60 nohits')
  await set('--rate-limit-allow', '127.0.0.0/8')
  expect((await ask('/page.html')).status).toBe(200)
  await set('--rate-limit', '', '--rate-limit-allow', '')
  expect((await ask('/page.html')).status).toBe(200)
})

test.each([
  ['--rate-limit', '/login five a minute'],
  ['--redirect', '/a'],
  ['--header', 'nothing'],
  ['--error-page', '/x'],
])('%s %s is refused before anything is asked', async (option, value) => {
  const { code, stderr } = await berth.run('site set', [alice.domain, option, value])
  expect([code, stderr]).toEqual([2, expect.stringContaining(option)])
})

test('one site answers at names that no site has, until it is said otherwise', async () => {
  const unknown = async () =>
    (await instance.site(`none.of.${alice.username}.test`, '/page.html')).status
  expect(await unknown()).toBe(404)
  const change = (option: string) => berth.json('domains update', [alice.domain, option])
  expect(await change('--default-host')).toMatchObject({ default_host: true })
  expect(await unknown()).toBe(200)
  expect(await change('--no-default-host')).toMatchObject({ default_host: false })
  expect(await unknown()).toBe(404)
})
