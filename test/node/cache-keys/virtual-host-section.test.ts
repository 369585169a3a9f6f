import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

/** Rules of the hosts of this test, each beside `p.test`, which has none. */
const RULES: Record<string, string> = {
  'off.test': 'enable = false',
  'short.test': 'ttl = 1',
  'long.test': 'ttl = 90000',
  'exclude.test': 'exclude = ["/exact", "/shop/*", "/日本/*"]',
  'cookies.test': 'bypass_cookies = ["vip", "member_*"]',
  'harmless.test': 'harmless_cookies = ["mine", "own_*", "PHPSESSID"]',
  'sessions.test': 'session_cookies = ["vip", "member_*"]',
  'params.test': 'ignore_query_params = ["ref"]',
  'mobile.test': 'mobile_variant = true',
  'types.test': 'content_types = ["application/feed+json"]',
  'http.test': 'mode = "http"',
  'neutral.test': 'fills = "neutral"',
}

let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite()
  const { web, root } = site
  const socket = /socket = "([^"]+)"/.exec(readFileSync(`${web.directory}/berth.toml`, 'utf8'))?.[1]
  for (const [domain, rule] of Object.entries(RULES)) {
    web.writeHosts(
      domain,
      `[[virtualhost]]\ndomain = "${domain}"\nroot = "${root}"\nindex = ["index.php"]\n` +
        `[virtualhost.php]\nsocket = "${socket}"\n[virtualhost.cache]\n${rule}\n`,
    )
  }
  expect((await web.control('POST', '/reload')).status).toBe(200)
})
afterAll(() => site?.stop())

const ask = (host: string, path: string, fields = '') => get(site.web.port, host, path, fields)
/** `X-Cache` of the second visit. */
const second = async (host: string, path: string, fields = ''): Promise<string | undefined> => {
  await ask(host, path, fields)
  return (await ask(host, path, fields)).headers['x-cache']
}
/** Has a page stored: those that show their visitor are filled behind his answer. */
const fill = (host: string, path: string): Promise<void> =>
  eventually('it is stored', async () => (await ask(host, path)).headers['x-cache'] === 'HIT')

describe('[virtualhost.cache]', () => {
  it('virtualhost.cache.enable: off for this host alone', async () => {
    expect(await second('off.test', '/')).toBeUndefined()
    expect(site.runs('/')).toBe(2)
    expect(await second('p.test', '/')).toBe('HIT')
  })

  it('virtualhost.cache.ttl: shorter and longer than the default', async () => {
    await ask('short.test', '/ttl')
    await eventually(
      'it expires',
      async () => (await ask('short.test', '/ttl')).headers['x-cache'] === 'MISS',
      4000,
    )
    await ask('long.test', '/ttl')
    const status = (await ask('long.test', '/ttl')).headers['cache-status'] ?? ''
    const ttl = Number(/ttl=(\d+)/.exec(status)?.[1])
    expect(ttl).toBeGreaterThan(89_000)
    expect(ttl).toBeLessThanOrEqual(90_000)
  })

  it('virtualhost.cache.exclude: exact paths and prefixes, in every spelling, and no others', async () => {
    const excluded = ['/exact', '/shop/', '/shop/a/b', encodeURI('/日本/x'), '/%65xact']
    for (const path of excluded) expect(await second('exclude.test', path), path).toBeUndefined()
    for (const path of ['/exact/x', '/exactly', '/shop', '/Shop/a']) {
      expect(await second('exclude.test', path), path).toBe('HIT')
    }
    expect(await second('p.test', '/exact')).toBe('HIT')
  })

  it('virtualhost.cache.bypass_cookies: replaces the built-in list', async () => {
    for (const name of ['vip', 'VIP', 'member_7']) {
      expect(await second('cookies.test', `/${name}`, `Cookie: ${name}=1\r\n`), name).toBe('MISS')
    }
    for (const name of ['PHPSESSID', 'vipx', 'nonmember_7']) {
      expect(await second('cookies.test', `/${name}`, `Cookie: ${name}=1\r\n`), name).toBe('HIT')
    }
    // A cookie that no list knows fills no page, but its owner gets those that are there.
    expect(await second('p.test', '/vip', 'Cookie: vip=1\r\n')).toBe('MISS')
    await fill('p.test', '/vip')
    expect(await second('p.test', '/vip', 'Cookie: vip=1\r\n')).toBe('HIT')
    expect(await second('p.test', '/member', 'Cookie: PHPSESSID=1\r\n')).toBe('MISS')
  })

  it('virtualhost.cache.harmless_cookies: goes before the built-in lists, for this host alone', async () => {
    for (const name of ['mine', 'OWN_token', 'phpsessid']) {
      const cookie = `Cookie: ${name}=9f86d081884c7d659a2feaa0c55ad015\r\n`
      await fill('harmless.test', `/h${name}`)
      await fill('p.test', `/h${name}`)
      expect(await second('harmless.test', `/h${name}`, cookie), name).toBe('HIT')
      expect(await second('p.test', `/h${name}`, cookie), name).toBe('MISS')
    }
    expect(await second('harmless.test', '/hother', 'Cookie: sid=1\r\n')).toBe('MISS')
  })

  it('virtualhost.cache.session_cookies: count beside the built-in list, for this host alone', async () => {
    for (const name of ['vip', 'Member_1', 'PHPSESSID', 'vipx']) {
      const expected = name === 'vipx' ? 'HIT' : 'MISS'
      const cookie = `Cookie: ${name}=1\r\n`
      await fill('sessions.test', `/s${name}`)
      expect(await second('sessions.test', `/s${name}`, cookie), name).toBe(expected)
    }
    await fill('p.test', '/svip')
    expect(await second('p.test', '/svip', 'Cookie: vip=1\r\n')).toBe('HIT')
  })

  it('virtualhost.cache.ignore_query_params: for this host alone', async () => {
    expect(await second('params.test', '/p?ref=1')).toBe('HIT')
    expect(await second('params.test', '/p?other=1')).toBe('MISS')
    expect(await second('p.test', '/p?ref=1')).toBe('MISS')
  })

  it('virtualhost.cache.mobile_variant: for this host alone', async () => {
    site.page('/m', `echo hrtime(true);`)
    const phone = 'User-Agent: Mozilla/5.0 (Linux; Android 10; K) Mobile\r\n'
    for (const [host, alike] of [
      ['mobile.test', false],
      ['p.test', true],
    ] as const) {
      const wide = (await ask(host, '/m')).body
      expect((await ask(host, '/m', phone)).body === wide, host).toBe(alike)
      expect((await ask(host, '/m')).body).toBe(wide)
    }
  })

  it('virtualhost.cache.content_types: the listed types are stored, and only they', async () => {
    site.page('/feed', `header('Content-Type: application/feed+json; charset=utf-8'); echo '{}';`)
    expect(await second('types.test', '/feed', 'Accept: */*\r\n')).toBe('HIT')
    expect(await second('p.test', '/feed', 'Accept: */*\r\n')).toBe('MISS')
    expect(await second('types.test', '/html')).toBe('MISS')
  })

  it('virtualhost.cache.fills: by the visitor’s own request, or by one that is nobody’s', async () => {
    site.page('/fills', `echo empty($_SERVER['HTTP_ACCEPT_LANGUAGE']) ? 'Hello' : 'Hallo';`)
    const german = 'Accept-Language: de-DE\r\n'
    for (const host of ['p.test', 'neutral.test']) {
      expect((await ask(host, '/fills', german)).body).toBe('Hallo')
    }
    expect((await ask('p.test', '/fills')).body).toBe('Hallo')
    expect((await ask('neutral.test', '/fills')).body).toBe('Hello')
  })

  it('virtualhost.cache.mode: http stores what the origin permits, of any type and with a query', async () => {
    site.page(
      '/api',
      `header('Content-Type: application/json'); header('Cache-Control: max-age=60'); echo '{}';`,
    )
    expect(await second('http.test', '/api?x=1')).toBe('HIT')
    expect(await second('p.test', '/api?x=1')).toBe('MISS')
    // Without freshness from the origin there is none: the default is 0.
    site.page('/silent', `echo 'page';`)
    expect(await second('http.test', '/silent')).toBe('MISS')
    expect(await second('p.test', '/silent')).toBe('HIT')
  })
})
