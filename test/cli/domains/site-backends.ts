import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { createKilledApp, type KilledApp } from '../../node/proxy/support/killed-app.ts'
import { Berth } from '../support/run-berth.ts'

const SHOP = `
require('node:http').createServer((request, response) => {
  if (request.url === '/moved') response.writeHead(302, { location: '/cart', 'set-cookie': 'a=b; Path=/' })
  response.end('shop ' + request.url)
}).listen(process.env.PORT)
`
const DOCS = readFileSync(new URL('../../../docs/backends.md', import.meta.url), 'utf8')

let alice: Tenant
let berth: Berth
const apps: KilledApp[] = []

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
  for (const port of await freePorts(2)) {
    const app = createKilledApp(`app${apps.length}`, port)
    apps.push(app)
    await app.start()
  }
  await alice.put('apps/shop/server.js', SHOP).catch(async () => {
    await alice.run('mkdir', ['-p', '--', alice.path('apps/shop/public')])
    await alice.put('apps/shop/server.js', SHOP)
  })
  await alice.put('apps/shop/public/style.css', 'a { color: red }')
  const shop = ['--runtime', 'node', '--start', 'exec node server.js', '--health', '/']
  await berth.ok('app create', [alice.username, 'shop', ...shop])
  await berth.ok('app deploy', [alice.username, 'shop'])
})
afterAll(async () => {
  await berth?.run('app delete', [alice.username, 'shop', '--yes'])
  berth?.remove()
  await Promise.all(apps.map((app) => app.kill()))
})

const ask = (path: string) => instance.site(alice.domain, path)
/** Commands of the page, in order, as words. */
const commands = [...DOCS.matchAll(/^berth (\w+ \w+) (.*)$/gm)].map(([, name = '', rest = '']) => ({
  name,
  words: [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
}))
const run = (part: string): Promise<string> => {
  const { name, words } = commands.find(({ words }) => words.join(' ').includes(part)) ?? {
    name: 'none',
    words: [],
  }
  const here = (word: string): string =>
    word
      .replace('alice.example', alice.domain)
      .replace(':3001', `:${apps[0]?.port}`)
      .replace(':3002', `:${apps[1]?.port}`)
  return berth.ok(name, words.map(here))
}

test('an application answers below a path, and names itself as visitors reach it', async () => {
  await run('--application shop')
  expect((await ask('/shop/cart?a=1')).text).toBe('shop /cart?a=1')
  const moved = await ask('/shop/moved')
  expect([moved.status, moved.headers['location'], moved.headers['set-cookie']]).toEqual([
    302,
    '/shop/cart',
    'a=b; Path=/shop/',
  ])
  expect((await ask('/other')).status).toBe(404)
})

test('it is started for a visitor', async () => {
  await berth.ok('app stop', [alice.username, 'shop'])
  await berth.ok('app start', [alice.username, 'shop'])
  expect((await ask('/shop/again')).text).toBe('shop /again')
})

test('a folder below it is served as files', async () => {
  await run('--folder')
  const style = await ask('/shop/static/style.css')
  expect([style.text, style.headers['content-type']]).toEqual([
    'a { color: red }',
    expect.stringContaining('text/css'),
  ])
  expect((await ask('/shop/static/server.js')).status).toBe(404)
  expect((await ask('/shop/static/%2e%2e/server.js')).text).not.toContain('require')
  expect((await ask('/shop/statics')).text).toBe('shop /statics')
})

test('servers share the requests, and one that ends is told and left out', async () => {
  await run('--internal')
  const names = new Set<string>()
  for (let at = 0; at < 12; at++) names.add((await ask(`/stats?${at}`)).text)
  expect([...names].sort()).toEqual(['app0 GET ', 'app1 GET '])
  await apps[0]?.kill()
  for (let at = 0; at < 6; at++) expect((await ask(`/stats?b${at}`)).text).toBe('app1 GET ')
  await expect
    .poll(() => berth.ok('backends list', [alice.domain]), { timeout: 30_000 })
    .toMatch(/\/stats .*(partly|down)/)
})

test('what the page says of servers elsewhere is taken, and none of the inside', async () => {
  await run('https://a.api.example')
  const listed = await berth.ok('backends list', [alice.domain])
  expect(listed).toMatch(/\/api +.*https:\/\/a\.api\.example 2, https:\/\/b\.api\.example +\/up/)
  const more = ['--preserve-host', '--no-websocket', '--no-verify-tls', '--replace-prefix', '/v1']
  await berth.ok('backends set', [alice.domain, '/api', '--server', 'https://b.example', ...more])
  const [, , set] = await berth.json<object[]>('backends list', [alice.domain])
  expect(set).toMatchObject({
    ...{ path: '/api', replace_prefix: '/v1', preserve_host: true },
    ...{ websocket: false, verify_tls: false, health_path: null },
  })
  const inside = ['--server', `http://127.0.0.1:${apps[1]?.port}`]
  const refused = await berth.run('backends set', [alice.domain, '/in', ...inside])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('internet')])
})

test('a path is answered by files again', async () => {
  await run('alice.example /stats --yes')
  expect((await ask('/stats')).status).toBe(404)
  expect((await berth.run('backends remove', [alice.domain, '/stats', '--yes'])).code).toBe(1)
})
