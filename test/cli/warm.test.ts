import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { shareWeb, web } from '#test/node/web-server/support/shared-web.ts'
import { runLauncher, type Outcome } from './support/run-berth.ts'

let config: string
shareWeb({ workers: 2 })
beforeAll(async () => {
  for (const domain of ['a.test', 'b.test']) {
    const root = join(web.directory, 'home', domain)
    mkdirSync(root)
    web.writeHosts(
      domain,
      `[[virtualhost]]\ndomain = "${domain}"\nroot = "${root}"\n[virtualhost.php]\nenable = false\n`,
    )
    writeFileSync(join(root, 'index.html'), '<!doctype html><a href="/linked.html">x</a>')
    for (const name of ['one', 'two', 'three', 'four', 'linked']) {
      writeFileSync(join(root, `${name}.html`), `<!doctype html>${name}`)
    }
    writeFileSync(
      join(root, 'sitemap.xml'),
      `<urlset><url><loc>http://${domain}/four.html</loc></url></urlset>`,
    )
  }
  config = join(web.directory, 'berth.toml')
  expect((await web.control('POST', '/reload')).status).toBe(200)
})

const berth = (args: string[], input?: string): Promise<Outcome> =>
  runLauncher(['cache', 'warm', ...args, '--config', config], input)
const cached = async (host: string, path: string): Promise<string> =>
  (await get(web.port, host, path)).headers['x-cache'] ?? 'none'

describe('berth cache warm', () => {
  test('--url with a full URL; the page is a hit at once', async () => {
    const { code, stdout, stderr } = await berth(['--url', 'http://a.test/one.html', '--wait'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/queued\s+1\nduplicates\s+0\nrejected\s+0\ndone\s+1\n/)
    expect(await cached('a.test', '/one.html')).toBe('HIT')
    expect(await cached('b.test', '/one.html')).toBe('MISS')
  })

  test('--url twice, paths of --domain, and of every site without one', async () => {
    const args = ['--url', '/two.html', '--url=/three.html', '--wait', '--json']
    const one = await berth([...args, '--domain', 'a.test'])
    expect(one.code).toBe(0)
    expect(JSON.parse(one.stdout)).toMatchObject({ queued: 2, outcome: { done: 2, failed: 0 } })
    expect(await cached('a.test', '/three.html')).toBe('HIT')
    const all = await berth(args)
    expect(JSON.parse(all.stdout)).toMatchObject({ queued: 2, duplicates: 2, rejected: [] })
    expect(await cached('b.test', '/two.html')).toBe('HIT')
  })

  test.each(['file', '-'])('--urls %s, with comments and blank lines', async (where) => {
    await web.management('POST', '/api/v1/cache/purge')
    const text =
      '# pages\n\nhttp://a.test/one.html # the first\r\n  http://b.test/one.html\n#/two.html\n'
    const file = join(web.directory, 'urls.txt')
    writeFileSync(file, text)
    const { code, stdout } = await berth(['--urls', where === '-' ? '-' : file, '--wait'], text)
    expect(code).toBe(0)
    expect(stdout).toMatch(/queued\s+2\n/)
    expect(await cached('b.test', '/one.html')).toBe('HIT')
    expect(await cached('a.test', '/two.html')).toBe('MISS')
  })

  test('--deterministic: home page, sitemap, links', async () => {
    await web.management('POST', '/api/v1/cache/purge')
    const { code, stdout } = await berth(['--deterministic', '--domain', 'a.test', '--wait'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/queued\s+3\n/)
    for (const path of ['/', '/four.html', '/linked.html']) {
      expect(await cached('a.test', path)).toBe('HIT')
    }
    expect(await cached('b.test', '/')).toBe('MISS')
  })

  test('--api names the management API, with or without /api/v1', async () => {
    const api = /\[api\]\s+listen = "([^"]+)"/.exec(readFileSync(config, 'utf8'))?.[1] ?? ''
    for (const address of [`http://${api}`, `http://${api}/api/v1/`]) {
      const { code, stderr } = await berth(['--url', 'http://a.test/one.html', '--api', address])
      expect([code, stderr]).toEqual([0, ''])
    }
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const wrong = await berth(['--url', '/', '--api', `http://127.0.0.1:${port}`])
    server.close()
    expect([wrong.code, wrong.stdout]).toEqual([1, ''])
    expect(wrong.stderr).toContain(`127.0.0.1:${port}`)
  })

  test('a foreign URL: exit code 1, the reason, and the others are queued', async () => {
    const { code, stdout, stderr } = await berth([
      ...['--url', 'http://169.254.169.254/latest', '--url', 'http://b.test/four.html'],
    ])
    expect(code).toBe(1)
    expect(stdout).toMatch(/queued\s+1\nduplicates\s+0\nrejected\s+1\n/)
    expect(stderr).toBe(
      'http://169.254.169.254/latest: 169.254.169.254 is no virtual host of this server\n',
    )
  })

  test('a page that is not there: with --wait exit code 1', async () => {
    const { code, stdout } = await berth(['--url', 'http://a.test/none.html', '--wait'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/failed\s+1\n/)
  })

  test.each([
    [[], 2, '--url'],
    [['--bogus'], 2, 'bogus'],
    [['--url'], 2, 'url'],
    [['--url', '/', '--api', 'nonsense'], 2, 'no address'],
    [['--url', '/', '--api', 'ftp://127.0.0.1'], 2, 'no address'],
    [['--urls', '/nonexistent/urls.txt'], 1, 'cannot be read'],
    [['--urls', '-'], 1, 'names no URL'],
    [['--url', '/', '--trigger', 'x'.repeat(65)], 1, 'trigger'],
  ])('%j: exit code %i', async (args, expected, says) => {
    const { code, stdout, stderr } = await berth(args)
    expect([code, stdout]).toEqual([expected, ''])
    expect(stderr).toContain(says)
  })
})
