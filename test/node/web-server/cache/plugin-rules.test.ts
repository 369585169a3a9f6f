import { existsSync, writeFileSync } from 'node:fs'
import { request, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { phpHost } from '../support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '../support/web-process.ts'
import { directory, php, sharePhpSite } from '../support/shared-php-site.ts'

/** What LiteSpeed Cache for WordPress writes, all its options on, and WordPress below it. */
const RULES = String.raw`
# BEGIN LSCACHE
## LITESPEED WP CACHE PLUGIN - Do not edit the contents of this block! ##
<IfModule LiteSpeed>
RewriteEngine on
CacheLookup on
RewriteRule .* - [E=Cache-Control:no-autoflush]
RewriteRule litespeed/debug/.*\.log$ - [F,L]
RewriteRule \.litespeed_conf\.dat - [F,L]

### marker ASYNC start ###
RewriteCond %{REQUEST_URI} /wp-admin/admin-ajax\.php
RewriteCond %{QUERY_STRING} action=async_litespeed
RewriteRule .* - [E=noabort:1]
### marker ASYNC end ###

### marker MOBILE start ###
RewriteCond %{HTTP_USER_AGENT} Mobile|Android|Silk/|Kindle|BlackBerry|Opera\ Mini|Opera\ Mobi [NC]
RewriteRule .* - [E=Cache-Control:vary=%{ENV:LSCACHE_VARY_VALUE}+ismobile]
### marker MOBILE end ###

### marker NOCACHE COOKIES start ###
RewriteCond %{HTTP_COOKIE} (no_cache_for_me)
RewriteRule .* - [E=Cache-Control:no-cache]
### marker NOCACHE COOKIES end ###

### marker NOCACHE USER AGENTS start ###
RewriteCond %{HTTP_USER_AGENT} (NeverCached)
RewriteRule .* - [E=cache-control:no-cache]
### marker NOCACHE USER AGENTS end ###

### marker WEBP start ###
RewriteCond %{HTTP_ACCEPT} image/webp [OR]
RewriteCond %{HTTP_USER_AGENT} iPhone\ OS\ (1[4-9]|[2-9][0-9]) [OR]
RewriteCond %{HTTP_USER_AGENT} Firefox/([6-9][0-9]|[1-9][0-9]{2,})
RewriteRule .* - [E=Cache-Control:vary=%{ENV:LSCACHE_VARY_VALUE}+webp]
### marker WEBP end ###

### marker LOGIN COOKIE start ###
RewriteRule .? - [E="Cache-Vary:my_login,,wp-postpass_0123456789abcdef"]
### marker LOGIN COOKIE end ###

### marker DROPQS start ###
CacheKeyModify -qs:fbclid
CacheKeyModify -qs:utm*
### marker DROPQS end ###

</IfModule>
## LITESPEED WP CACHE PLUGIN - Do not edit the contents of this block! ##
# END LSCACHE
# BEGIN NON_LSCACHE
<IfModule mod_rewrite.c>
RewriteRule litespeed/debug/.*\.log$ - [F,L]
RewriteRule \.litespeed_conf\.dat - [F,L]
</IfModule>
# END NON_LSCACHE
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteBase /
RewriteRule ^index\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
CacheDisable public /private/
`
const SCRIPT = `<?php
file_put_contents(__DIR__ . '/../runs', 'x', FILE_APPEND | LOCK_EX);
header('Content-Type: text/html');
if (strpos($_SERVER['REQUEST_URI'], 'admin-ajax') !== false) {
  file_put_contents(__DIR__ . '/../begun', '1');
  for ($left = 80; $left; $left--) {
    echo str_repeat('x', 10000);
    flush();
    usleep(20000);
  }
  file_put_contents(__DIR__ . '/../ended', '1');
  exit;
}
$seen = fn($name) => $_SERVER[$name] ?? '-';
echo $seen('LSCACHE_VARY_VALUE'), ' ', $seen('LSCACHE_VARY_COOKIE');
`

let web: WebProcess
sharePhpSite()
beforeAll(async () => {
  writeFileSync(join(php.root, 'index.php'), SCRIPT)
  writeFileSync(join(php.root, '.htaccess'), RULES)
  writeFileSync(join(php.root, '.litespeed_conf.dat'), 'secret')
  const hosts = [
    phpHost(php, 'p.test', 'htaccess = true'),
    `${phpHost(php, 'off.test', 'htaccess = true')}[virtualhost.cache]\nenable = false\n`,
  ]
  web = await startWeb({ workers: 1, more: hosts.join('') })
})
afterAll(async () => {
  await web.remove()
})
beforeEach(async () => {
  expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
})

interface PageResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}
const ask = (
  path: string,
  fields: Record<string, string> = {},
  host = 'p.test',
): Promise<PageResponse> =>
  new Promise((resolve, reject) => {
    const where = { host: '127.0.0.1', port: web.port, path, agent: false }
    const outgoing = request({ ...where, headers: { host, ...fields } }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part: string) => (body += part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      )
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })

const OLD = { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1; Trident/7.0) like Gecko', accept: '*/*' }
const DESK = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/120.0',
  accept: 'text/html,image/avif,image/webp,*/*;q=0.8',
}
const PHONE = { 'user-agent': 'Mozilla/5.0 (Linux; Android 4.4) Mobile', accept: 'text/html' }
const IPHONE = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148',
  accept: 'text/html',
}
const COOKIES = 'my_login,wp-postpass_0123456789abcdef'
const brief = ({ headers, body }: PageResponse): string => `${headers['x-cache'] ?? '-'} ${body}`

describe('rules that LiteSpeed Cache for WordPress writes', () => {
  it('give each kind of browser pages of its own, which PHP knows', async () => {
    const kinds = [
      [OLD, '-'],
      [DESK, '+webp'],
      [PHONE, '+ismobile'],
      [IPHONE, '+ismobile+webp'],
    ] as const
    for (const path of ['/', '/some/page', '/index.php']) {
      for (const cache of ['MISS', 'HIT', 'HIT']) {
        for (const [fields, variant] of kinds)
          expect(brief(await ask(path, fields)), path).toBe(`${cache} ${variant} ${COOKIES}`)
      }
    }
  })

  it('keep excluded cookies and browsers from the cache, both ways', async () => {
    const closed = [
      { ...OLD, cookie: 'no_cache_for_me=1' },
      { ...OLD, 'user-agent': 'NeverCached/1.0' },
    ]
    for (const fields of closed) {
      php.resetRuns()
      for (let n = 0; n < 2; n++) expect(brief(await ask('/closed', fields))).not.toContain('HIT')
      expect(php.runs()).toBe(2)
    }
    expect(brief(await ask('/closed', OLD))).toContain('MISS')
    expect(brief(await ask('/closed', OLD))).toContain('HIT')
    for (const fields of closed) expect(brief(await ask('/closed', fields))).not.toContain('HIT')
  })

  it('send who has a cookie of the list to PHP, an empty one does not count', async () => {
    expect(brief(await ask('/vary', OLD))).toContain('MISS')
    for (const cookie of ['a=b; my_login=me', 'MY_LOGIN=me', 'wp-postpass_0123456789abcdef=x'])
      expect(brief(await ask('/vary', { ...OLD, cookie })), cookie).not.toContain('HIT')
    expect(brief(await ask('/vary', { ...OLD, cookie: 'my_login=' }))).toContain('HIT')
  })

  it('keep what CacheDisable names out of the cache', async () => {
    for (let n = 0; n < 2; n++) expect(brief(await ask('/private/x', OLD))).not.toContain('HIT')
    await ask('/privately', OLD)
    expect(brief(await ask('/privately', OLD))).toContain('HIT')
  })

  it('close what is secret', async () => {
    for (const path of ['/.litespeed_conf.dat', '/wp-content/litespeed/debug/x.log'])
      expect([403, 404]).toContain((await ask(path)).status)
  })

  it('count for nothing where the cache is off', async () => {
    expect((await ask('/', IPHONE, 'off.test')).body).toBe('- -')
  })

  it('let a script work on when its client has left', async () => {
    const path = '/wp-admin/admin-ajax.php?action=async_litespeed'
    const outgoing = request({
      ...{ host: '127.0.0.1', port: web.port, path, agent: false },
      headers: { host: 'p.test' },
    })
    outgoing.on('error', () => undefined)
    outgoing.end()
    await eventually('the script runs', () => existsSync(join(directory, 'site/begun')))
    outgoing.destroy()
    await eventually('the script ended', () => existsSync(join(directory, 'site/ended')))
  })
})

describe('cookies of LiteSpeed’s plugins', () => {
  it.each(['_lscache_vary', 'lsc_private', 'litespeed_hash', 'litespeed_flash_hash'])(
    '%s keeps its owner from the cache',
    async (name) => {
      await ask('/cookie', OLD)
      expect(brief(await ask('/cookie', OLD))).toContain('HIT')
      for (let n = 0; n < 20; n++) {
        const answer = await ask('/cookie', { ...OLD, cookie: `${name}=${Math.random()}` })
        expect(answer.headers['x-cache']).toBe('MISS')
      }
      expect(brief(await ask('/cookie', OLD))).toContain('HIT')
    },
  )
})
