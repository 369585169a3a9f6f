import { describe, expect, it } from 'vitest'
import type { MakeSite, Tree } from './sites-harness.ts'
import { conditionalSuite } from './sites-conditional.ts'

const TREE: Tree = {
  '/index.html': '<h1>front</h1>',
  '/a.txt': 'hello',
  '/pic.jpg': new Uint8Array([0xff, 0xd8, 0, 1, 2]),
  '/blank name.txt': 'blank',
  '/日本.txt': 'nihon',
  '/100%.txt': 'percent',
  '/dir': null,
  '/dir/index.html': 'dir index',
  '/bare': null,
  '/.env': 'SECRET',
  '/.git': null,
  '/.git/config': 'SECRET',
  '/.well-known': null,
  '/.well-known/security.txt': 'contact',
  '/config.php.bak': 'SECRET',
  '/config.php~': 'SECRET',
  '/config.php.old': 'SECRET',
  '/.config.php.swp': 'SECRET',
  '/notes.php.txt': 'shown on purpose',
  '/errors': null,
  '/errors/404.html': 'own not found',
}
const SCRIPTS: Tree = {
  '/index.php': 'SOURCE',
  '/tool.php': 'SOURCE',
  '/blog': null,
  '/blog/index.php': 'SOURCE',
  '/old.phtml': 'SOURCE',
  '/dir.php': null,
  '/dir.php/x.txt': 'in a directory named like a script',
}

const json = async (response: Response): Promise<unknown> => {
  expect(response.status).toBe(200)
  return response.json()
}

/** What every site handler answers, whatever stands behind its ports. */
export const siteSuite = (name: string, make: MakeSite): void => {
  describe(`${name}: hosts`, () => {
    it('answers names and aliases, in any case, with a port or a final dot', async () => {
      const { visit } = await make(TREE)
      for (const host of ['a.test', 'www.a.test', 'A.TEST', 'a.test:8080', 'a.test.']) {
        expect((await visit('/a.txt', { host })).status, host).toBe(200)
      }
    })

    it('shows a neutral page for unknown hosts and refuses what is no host', async () => {
      const { visit } = await make(TREE)
      const unknown = await visit('/a.txt', { host: 'b.test' })
      expect(unknown.status).toBe(404)
      expect(unknown.headers.get('cache-control')).toBe('no-store')
      expect(await unknown.text()).toContain('no site')
      for (const host of [
        '',
        'a b',
        'a.test:99999',
        'a..test',
        'a.test/x',
        '-'.repeat(300),
        null,
      ]) {
        expect((await visit('/a.txt', { host })).status, String(host)).toBe(400)
      }
      const old = await visit('/a.txt', { host: null, context: { protocol: 'HTTP/1.0' } })
      expect(old.status).toBe(404)
    })

    it('closes a suspended site', async () => {
      const { visit } = await make(TREE, { suspended: true, redirect_https: true })
      const response = await visit('/a.txt')
      expect(response.status).toBe(503)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('retry-after')).toBe('3600')
      expect(await response.text()).toContain('suspended')
    })

    it('leads to https where wanted', async () => {
      const { visit } = await make(TREE, { redirect_https: true })
      const get = await visit('/a%20b?x=1', { host: 'www.a.test:80' })
      expect([get.status, get.headers.get('location')]).toEqual([
        301,
        'https://www.a.test/a%20b?x=1',
      ])
      expect((await visit('/a.txt', { method: 'POST' })).status).toBe(308)
      expect((await visit('/a.txt', { context: { secure: true } })).status).toBe(200)
    })

    it('names itself and adds the configured headers', async () => {
      const { visit } = await make(TREE, { headers: { 'X-Frame-Options': 'DENY' } })
      for (const path of ['/a.txt', '/nothing.txt']) {
        const { headers } = await visit(path)
        expect(headers.get('server')).toBe('Berth')
        expect(headers.get('x-frame-options')).toBe('DENY')
      }
    })
  })

  describe(`${name}: paths`, () => {
    it('serves files by their decoded names', async () => {
      const { visit } = await make(TREE)
      const cases: [string, string][] = [
        ['/a.txt', 'hello'],
        ['/%61.txt', 'hello'],
        ['/x/../a.txt', 'hello'],
        ['/./a.txt', 'hello'],
        ['//a.txt', 'hello'],
        ['/blank%20name.txt', 'blank'],
        ['/%E6%97%A5%E6%9C%AC.txt', 'nihon'],
        ['/100%25.txt', 'percent'],
        ['/', '<h1>front</h1>'],
        ['/dir/', 'dir index'],
        ['/.well-known/security.txt', 'contact'],
        ['/notes.php.txt', 'shown on purpose'],
      ]
      for (const [path, text] of cases) {
        const response = await visit(path)
        expect([path, response.status, await response.text()]).toEqual([path, 200, text])
      }
    })

    it('refuses what no path may hold', async () => {
      const { visit } = await make(TREE)
      const bad = [
        '/%',
        '/%4',
        '/%zz',
        '/%00',
        '/a%0d%0ab',
        '/a\\b',
        '/a%5cb',
        '/../x',
        '/%2e%2e/x',
      ]
      for (const path of [...bad, '/a/../../x', 'a.txt', '', '/a b', '/a#b', '*', '/a?x y']) {
        expect([path, (await visit(path)).status]).toEqual([path, 400])
      }
    })

    it('keeps %2F, %3B and double escapes from naming a file', async () => {
      const { visit } = await make(TREE)
      for (const path of ['/dir%2Findex.html', '/a.txt%3B', '/a.txt;x', '/%2561.txt', '/%FF.txt']) {
        expect([path, (await visit(path)).status]).toEqual([path, 404])
      }
    })

    it('hides dotfiles and backup copies', async () => {
      const { visit } = await make({ ...TREE, ...SCRIPTS })
      const hidden = [
        '/.env',
        '/.git/config',
        '/%2egit/config',
        '/.well-known/.env',
        '/dir/.hidden',
      ]
      const copies = ['/config.php.bak', '/config.php~', '/config.php.old', '/.config.php.swp']
      for (const path of [...hidden, ...copies]) {
        const response = await visit(path)
        expect([path, response.status]).toEqual([path, 404])
        expect(await response.text()).not.toContain('SECRET')
      }
    })

    it('adds the slash of a directory, on this host only', async () => {
      const { visit } = await make(TREE)
      const response = await visit('/dir?x=1')
      expect([response.status, response.headers.get('location')]).toEqual([301, '/dir/?x=1'])
      expect((await visit('//dir')).headers.get('location')).toBe('/dir/')
      expect((await visit('/bare/')).status).toBe(404)
    })

    it('knows GET and HEAD for files', async () => {
      const { visit } = await make(TREE)
      const head = await visit('/a.txt', { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '5', null])
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const response = await visit('/a.txt', { method })
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      }
    })

    it('names the type', async () => {
      const { visit } = await make(TREE)
      expect((await visit('/a.txt')).headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect((await visit('/')).headers.get('content-type')).toBe('text/html; charset=utf-8')
      const picture = await visit('/pic.jpg')
      expect(picture.headers.get('content-type')).toBe('image/jpeg')
      expect(await picture.bytes()).toEqual(TREE['/pic.jpg'])
    })

    it('shows the site’s own error page with the status', async () => {
      const { visit } = await make(TREE, { error_pages: { '404': '/errors/404.html' } })
      const response = await visit('/nothing', {
        headers: { 'if-none-match': '*', range: 'bytes=0-1' },
      })
      expect([response.status, await response.text()]).toEqual([404, 'own not found'])
      expect((await visit('/nothing', { method: 'HEAD' })).status).toBe(404)
      expect((await visit('/nothing', { method: 'POST' })).status).toBe(404)
    })
  })

  describe(`${name}: scripts`, () => {
    const both = { ...TREE, ...SCRIPTS }

    it('runs scripts, with what follows them in the path', async () => {
      const { visit } = await make(both)
      const cases: [string, object][] = [
        ['/tool.php', { script: '/tool.php', pathInfo: '', uri: '/tool.php', query: '' }],
        ['/tool.php?a=%20', { script: '/tool.php', uri: '/tool.php?a=%20', query: 'a=%20' }],
        [
          '/tool.php/a%20b/c',
          { script: '/tool.php', pathInfo: '/a b/c', uri: '/tool.php/a%20b/c' },
        ],
        ['/tool.php/', { script: '/tool.php', pathInfo: '/', uri: '/tool.php/' }],
        ['/tool.php/a/', { script: '/tool.php', pathInfo: '/a/' }],
        ['/tool.php/.git/a.bak', { script: '/tool.php', pathInfo: '/.git/a.bak' }],
        ['/%74ool.php', { script: '/tool.php', uri: '/tool.php' }],
        ['/blog/', { script: '/blog/index.php', pathInfo: '', uri: '/blog/' }],
        ['/', { script: '/index.php', uri: '/' }],
      ]
      for (const [path, wanted] of cases) {
        expect(await json(await visit(path)), path).toMatchObject(wanted)
      }
      expect(await json(await visit('/tool.php', { method: 'DELETE' }))).toMatchObject({
        method: 'DELETE',
      })
    })

    it('gives paths without a file to the front controller', async () => {
      const { visit } = await make(both)
      for (const path of ['/a/b', '/a%2Fb', '/%FF', '/gone.php', '/pic.jpg/x.php', '/bare/']) {
        expect(await json(await visit(path)), path).toMatchObject({
          script: '/index.php',
          pathInfo: '',
          uri: path,
        })
      }
    })

    it('never shows source', async () => {
      const { visit } = await make(both)
      expect((await visit('/old.phtml')).status).toBe(404)
      const off = await make(both, {
        php: { enable: false, version: null, mode: 'fpm', socket: null },
      })
      for (const path of ['/tool.php', '/index.php/x', '/old.phtml', '/nothing']) {
        expect((await off.visit(path)).status, path).toBe(404)
      }
      expect(await (await off.visit('/')).text()).toBe('<h1>front</h1>')
    })

    it('is not confused by a directory named like a script', async () => {
      const { visit } = await make(both)
      expect(await (await visit('/dir.php/x.txt')).text()).toContain('named like a script')
      expect((await visit('/dir.php')).headers.get('location')).toBe('/dir.php/')
    })
  })

  conditionalSuite(name, make)
}
