import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Site } from '#test/contract/sites/sites-harness.ts'
import { createMemoryPageCache } from '#test/support/setups/memory-page-cache.ts'
import { WORDPRESS_RULES } from '#test/support/setups/rewrite-rules.ts'
import { createTestHost } from './php-fpm.ts'

const host = createTestHost()
let site: Site

beforeAll(() => host.startPhp())
afterAll(() => host.stop())
beforeEach(() => {
  host.clear()
  site = host.site()
})

const ECHO = `<?php header('Content-Type: application/json'); echo json_encode([
  'uri' => $_SERVER['REQUEST_URI'], 'query' => $_SERVER['QUERY_STRING'], 'script' => $_SERVER['SCRIPT_NAME'],
  'user' => $_SERVER['REMOTE_USER'] ?? null, 'mark' => $_SERVER['MARK'] ?? $_SERVER['REDIRECT_MARK'] ?? null,
  'ini' => ini_get('open_basedir')]);`

const get = (target: string, headers?: HeadersInit): Promise<Response> =>
  site.visit(target, headers ? { headers } : {})
const basic = (name: string, password: string): HeadersInit => ({
  authorization: `Basic ${btoa(`${name}:${password}`)}`,
})

describe('rewriting', () => {
  it("leads WordPress's addresses to its front controller", async () => {
    host.plant({ '/.htaccess': WORDPRESS_RULES, '/index.php': ECHO, '/style.css': 'a{}' })
    expect(await (await get('/2024/05/post/?a=1')).json()).toMatchObject({
      uri: '/2024/05/post/?a=1',
      query: 'a=1',
      script: '/index.php',
    })
    expect(await (await get('/style.css')).text()).toBe('a{}')
    expect(await (await get('/')).json()).toMatchObject({ script: '/index.php', uri: '/' })
  })

  it('leaves the front controller in place under rules that only close or redirect', async () => {
    host.plant({
      '/.htaccess':
        'RewriteEngine On\nRewriteRule ^closed - [F]\nRewriteRule ^old$ /new [R=301,L]\n',
      '/index.php': ECHO,
    })
    expect(await (await get('/a/post/')).json()).toMatchObject({ script: '/index.php' })
    expect((await get('/closed/post')).status).toBe(403)
    expect((await get('/old')).status).toBe(301)
  })

  it('rewrites in a directory, with captures, queries and variables', async () => {
    host.plant({
      '/shop/.htaccess': `RewriteEngine on
RewriteCond %{QUERY_STRING} !skip
RewriteRule ^item/(\\d+)-([a-z]+)$ item.php?id=$1&name=$2 [QSA,L,E=MARK:$2]`,
      '/shop/item.php': ECHO,
    })
    expect(await (await get('/shop/item/7-shoe?x=y')).json()).toMatchObject({
      uri: '/shop/item/7-shoe?x=y',
      query: 'id=7&name=shoe&x=y',
      script: '/shop/item.php',
      mark: 'shoe',
    })
    expect((await get('/shop/item/7-shoe?skip')).status).toBe(404)
  })

  it('redirects and refuses', async () => {
    host.plant({
      '/.htaccess': `RewriteEngine On
RewriteRule ^old/(.*)$ /new/$1 [R=301,L]
RewriteRule ^away$ https://example.org/x?y=1 [R,L]
RewriteRule ^secret - [F]
RewriteRule ^lost - [G]
RewriteRule ^loop/(.*)$ loop/a$1
Redirect 301 /moved https://example.net/there
RedirectMatch 302 ^/p/(\\d+)$ /q/$1
Redirect gone /dead`,
    })
    const shown = async (target: string): Promise<[number, string | null]> => {
      const { status, headers } = await get(target)
      return [status, headers.get('location')]
    }
    expect(await shown('/old/a%20b?x=1')).toEqual([301, 'http://a.test/new/a%20b?x=1'])
    expect(await shown('/away')).toEqual([302, 'https://example.org/x?y=1'])
    expect(await shown('/secret/file')).toEqual([403, null])
    expect(await shown('/lost')).toEqual([410, null])
    expect(await shown('/loop/x')).toEqual([500, null])
    expect(await shown('/moved/sub?q=1')).toEqual([301, 'https://example.net/there/sub?q=1'])
    expect(await shown('/p/12')).toEqual([302, 'http://a.test/q/12'])
    expect(await shown('/dead/x')).toEqual([410, null])
  })

  it('follows the rules of the virtual host', async () => {
    site = host.site({
      rewrites: [
        { pattern: '^/a/(.*)$', target: '/b/$1', flags: 'L' },
        { pattern: '^/go$', target: '/x', flags: 'R=302' },
      ],
    })
    host.plant({ '/b/x.txt': 'here' })
    expect(await (await get('/a/x.txt')).text()).toBe('here')
    expect((await get('/go')).headers.get('location')).toBe('http://a.test/x')
  })
})

describe('access', () => {
  it('asks for a password and tells PHP who it was', async () => {
    const file = join(host.root, '.htpasswd')
    host.plant({
      '/in/.htaccess': `AuthType Basic
AuthName "Only \\"us\\""
AuthUserFile ${file}
Require valid-user`,
      '/in/a.php': ECHO,
      '/.htpasswd': `anna:$apr1$lZL6V/ci$eIMz/iKDkbtys/uU7LEK00
ben:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=
carl:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC
`,
    })
    const refused = await get('/in/a.php')
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="Only \\"us\\""')
    expect((await get('/in/a.php', basic('anna', 'wrong'))).status).toBe(401)
    expect((await get('/.htpasswd')).status).toBe(404)
    for (const [name, password] of [
      ['anna', 'password'],
      ['ben', 'password'],
      ['carl', 'myPassword'],
    ] as const) {
      const answer = await get('/in/a.php', basic(name, password))
      expect([name, answer.status]).toEqual([name, 200])
      expect(await answer.json()).toMatchObject({ user: name })
    }
  })

  it('refuses files by name, address and method', async () => {
    host.plant({
      '/.htaccess': `<FilesMatch "\\.(log|ini)$">
Require all denied
</FilesMatch>
<Files "index.html">
Order deny,allow
Deny from 192.0.2
</Files>`,
      '/a.log': 'x',
      '/a.txt': 'text',
      '/index.html': 'x',
      '/net/.htaccess': 'Require ip 192.0.2.0/24',
      '/net/a.txt': 'net',
      '/other/.htaccess': 'Require not ip 192.0.2.0/24\nRequire all granted',
      '/far/.htaccess':
        '<RequireAll>\nRequire all granted\nRequire not ip 192.0.2.7\n</RequireAll>',
      '/far/a.txt': 'far',
    })
    expect((await get('/a.log')).status).toBe(403)
    expect((await get('/')).status).toBe(403)
    expect((await get('/a.txt')).status).toBe(200)
    expect((await get('/net/a.txt')).status).toBe(200)
    expect((await get('/far/a.txt')).status).toBe(403)
  })
})

describe('answers', () => {
  it('have the headers, types and expiry that rules give them', async () => {
    host.plant({
      '/.htaccess': `Header set X-One "1"
Header always set X-Always "2"
Header append Vary Accept-Language
Header unset ETag
ExpiresActive On
ExpiresByType text/css "access plus 1 week"
AddType application/x-thing .thing
AddDefaultCharset iso-8859-2
ErrorDocument 404 /lost.html
ErrorDocument 403 "no entry"
<Files no.txt>
Require all denied
</Files>`,
      '/a.css': 'a{}',
      '/a.thing': 'x',
      '/a.html': 'x',
      '/no.txt': 'x',
      '/lost.html': 'lost page',
    })
    const css = await get('/a.css')
    expect(css.headers.get('x-one')).toBe('1')
    expect(css.headers.get('vary')).toBe('Accept-Language')
    expect(css.headers.get('etag')).toBeNull()
    expect(css.headers.get('cache-control')).toBe('max-age=604800')
    expect((await get('/a.thing')).headers.get('content-type')).toBe('application/x-thing')
    expect((await get('/a.html')).headers.get('content-type')).toBe('text/html; charset=iso-8859-2')
    const lost = await get('/nothing')
    expect([lost.status, await lost.text()]).toEqual([404, 'lost page'])
    expect([lost.headers.get('x-one'), lost.headers.get('x-always')]).toEqual([null, '2'])
    const refused = await get('/no.txt')
    expect([refused.status, await refused.text()]).toEqual([403, 'no entry'])
  })

  it('are 500 where rules are wrong, and ignore what is not known', async () => {
    host.plant({
      '/.htaccess': 'Frobnicate on\n<IfModule mod_nothing.c>\nRewriteRule ( x\n</IfModule>',
      '/a.txt': 'fine',
      '/bad/.htaccess': 'RewriteEngine On\nRewriteRule ( x',
      '/bad/a.txt': 'x',
    })
    expect(await (await get('/a.txt')).text()).toBe('fine')
    expect((await get('/bad/a.txt')).status).toBe(500)
    const messages = site.logged.map(({ message }) => message)
    expect(messages).toContain('an .htaccess cannot be understood')
    expect(messages).toContain('directives of .htaccess are not known and were left out')
  })

  it('change within a second or two when rules come, change and go', async () => {
    host.plant({ '/d/a.txt': 'x' })
    expect((await get('/d/a.txt')).status).toBe(200)
    const becomes = async (status: number): Promise<void> => {
      await expect.poll(async () => (await get('/d/a.txt')).status).toBe(status)
    }
    host.plant({ '/d/.htaccess': 'Require all denied' })
    await becomes(403)
    host.plant({ '/d/.htaccess': 'Redirect 302 /d/a.txt /b' })
    await becomes(302)
    rmSync(join(host.root, 'd/.htaccess'))
    await becomes(200)
  })
})

/** A name of its own, because PHP remembers a script for a while. */
const COUNTED = `<?php header('Content-Type: text/html'); echo bin2hex(random_bytes(8));`

describe('rules before the page cache', () => {
  const cacheOf = async (
    headers: HeadersInit = {},
    context = {},
  ): Promise<[number, string | null]> => {
    const answer = await site.visit('/counted.php', { headers, context })
    await answer.arrayBuffer()
    return [answer.status, answer.headers.get('x-cache')]
  }
  beforeEach(() => {
    site = host.site({}, {}, createMemoryPageCache())
  })

  it('let pages of a site with the usual rules be shared', async () => {
    host.plant({ '/.htaccess': WORDPRESS_RULES, '/counted.php': COUNTED })
    expect(await cacheOf()).toEqual([200, 'MISS'])
    expect(await cacheOf({ 'user-agent': 'Some browser' })).toEqual([200, 'HIT'])
  })

  it('give nobody a page that was meant for others', async () => {
    host.plant({
      '/.htaccess': `<RequireAll>
Require all granted
Require not ip 198.51.100.9
</RequireAll>
RewriteEngine On
RewriteCond %{HTTP_COOKIE} beta
RewriteRule ^counted\\.php$ /beta.php [L]`,
      '/counted.php': COUNTED,
      '/beta.php': `<?php header('Content-Type: text/html'); echo 'beta';`,
    })
    expect(await cacheOf()).toEqual([200, 'MISS'])
    expect(await cacheOf()).toEqual([200, 'HIT'])
    expect((await cacheOf({}, { clientAddress: '198.51.100.9' }))[0]).toBe(403)
    const beta = await site.visit('/counted.php', { headers: { cookie: 'beta=1' } })
    expect(await beta.text()).toBe('beta')
    expect(await cacheOf()).toEqual([200, 'HIT'])
  })

  it('hold for cached pages too as soon as they change', async () => {
    host.plant({ '/.htaccess': 'Header set X-Edition one', '/counted.php': COUNTED })
    const edition = async (): Promise<string | null> =>
      (await site.visit('/counted.php')).headers.get('x-edition')
    expect([await edition(), await edition()]).toEqual(['one', 'one'])
    host.plant({ '/.htaccess': 'Header set X-Edition second' })
    await expect.poll(edition).toBe('second')
    host.plant({ '/.htaccess': 'Require all denied' })
    await expect.poll(async () => (await cacheOf())[0]).toBe(403)
  })
})
