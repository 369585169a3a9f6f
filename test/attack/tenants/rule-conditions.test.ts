import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { exchange, type RawResponse } from '#test/node/web-server/support/raw-client.ts'
import { shareWeb, web } from '#test/node/web-server/support/shared-web.ts'

/** No account of this machine. */
const UID = 64_348
/** One of these is what every set of rules looks for. */
const OWN = 'User-Agent: OddBot\r\nX-Odd: 1\r\nCookie: odd=1\r\nAccept-Language: xx\r\n'

const RULES: Record<string, string> = {
  'a header': '<If "%{HTTP_USER_AGENT} =~ /Odd/">\nHeader set X-Told odd\n</If>',
  'a condition': `Header set X-Told odd "expr=%{HTTP:X-Odd} == '1'"`,
  'a header of one file':
    '<Files "page.html">\n<If "%{HTTP_COOKIE} =~ /odd/">\nHeader set X-Told odd\n</If>\n</Files>',
  'the other branch':
    '<If "%{HTTP:X-Odd} == \'2\'">\nHeader set X-Told two\n</If>\n<ElseIf "%{HTTP:X-Odd} == \'1\'">\nHeader set X-Told odd\n</ElseIf>',
  'the charset': '<If "%{HTTP:X-Odd} == \'1\'">\nAddDefaultCharset iso-8859-15\n</If>',
  'how long it is kept':
    'ExpiresActive On\n<If "%{HTTP:X-Odd} == \'1\'">\nExpiresDefault "access plus 1 year"\n</If>',
}
const names = Object.keys(RULES)
/** What must be in a request line, and one that has it, for the page that all spellings share. */
const LINES: Record<string, [condition: string, line: string]> = {
  'the spelling of a path': ['%{THE_REQUEST} %70', 'GET /%70age.html HTTP/1.1'],
  'the protocol': ['%{SERVER_PROTOCOL} HTTP/1.0', 'GET /page.html HTTP/1.0'],
  'the request line': ['%{THE_REQUEST} HTTP/1.0$', 'GET /page.html HTTP/1.0'],
}
const sites = [...names, ...Object.keys(LINES)]
const hostOf = (name: string): string => `s${sites.indexOf(name)}.test`
const rulesOf = (name: string): string => {
  const condition = LINES[name]?.[0]
  if (condition === undefined) return RULES[name] ?? ''
  return `RewriteEngine On\nRewriteCond ${condition}\nRewriteRule ^page /odd.html [L]`
}

shareWeb({ workers: 1 })
beforeAll(async () => {
  const hosts = sites.map((name) => {
    const home = join(web.directory, 'home', hostOf(name))
    const www = join(home, 'www')
    mkdirSync(www, { recursive: true })
    writeFileSync(join(www, 'page.html'), 'the page')
    writeFileSync(join(www, 'odd.html'), 'an odd page')
    writeFileSync(join(www, '.htaccess'), `${rulesOf(name)}\n`)
    const files = ['page.html', 'odd.html', '.htaccess'].map((file) => join(www, file))
    for (const path of [home, www, ...files]) chownSync(path, UID, UID)
    return `[[virtualhost]]\ndomain = "${hostOf(name)}"\nroot = "${www}"\nhome = "${home}"\nusername = "site"\nuid = ${UID}\n[virtualhost.php]\nenable = false\n`
  })
  web.writeHosts('sites', hosts.join('\n'))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})

const told = ({ headers }: RawResponse): (string | undefined)[] => [
  headers['x-told'],
  headers['content-type'],
  headers['cache-control'],
]

test.each(names)('what <If> decides for one client of %s is nobody else’s', async (name) => {
  const odd = await get(web.port, hostOf(name), '/page.html', OWN)
  const usual = await get(web.port, hostOf(name), '/page.html')
  expect([odd.status, usual.status]).toEqual([200, 200])
  expect(told(usual)).toEqual([undefined, 'text/html; charset=utf-8', undefined])
  expect(told(odd)).not.toEqual(told(usual))
  const stored = await get(web.port, hostOf(name), '/page.html')
  expect([stored.headers['x-cache'], ...told(stored)]).toEqual(['HIT', ...told(usual)])
  expect(told(await get(web.port, hostOf(name), '/page.html', OWN))).toEqual(told(odd))
})

test.each(Object.entries(LINES))(
  'what rules decide by %s puts no other page in its place',
  async (name, [, line]) => {
    const odd = await exchange(web.port, `${line}\r\nHost: ${hostOf(name)}\r\n\r\n`)
    expect(odd).toMatch(/\r\n\r\nan odd page$/)
    expect((await get(web.port, hostOf(name), '/page.html')).body).toBe('the page')
    const stored = await get(web.port, hostOf(name), '/page.html')
    expect([stored.body, stored.headers['x-cache']]).toEqual(['the page', 'HIT'])
  },
)
