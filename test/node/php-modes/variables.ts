import { expect, it } from 'vitest'
import type { ModeSite } from './start-mode-site.ts'

type Strings = Record<string, string>

/** What scripts see of a request. */
export const variablesSuite = (site: () => ModeSite): void => {
  const server = async (...call: Parameters<ModeSite['visit']>): Promise<Strings> =>
    JSON.parse((await site().visit(...call)).text) as Strings

  it('runs in the mode that was asked for, as the account', async () => {
    const { visit, tenant, mode } = site()
    const [sapi, uid, gid] = JSON.parse((await visit('/sapi.php')).text) as [string, number, number]
    expect(sapi).toBe({ fpm: 'fpm-fcgi', cgi: 'cgi-fcgi', lsapi: 'litespeed' }[mode])
    expect([uid, gid]).toEqual([tenant.uid, tenant.uid])
  })

  it('has the variables of a plain request', async () => {
    const { tenant } = site()
    const root = tenant.path('public_html')
    const seen = await server('/server.php/p%20i/x?q=1&r=%2F')
    expect(seen).toMatchObject({
      GATEWAY_INTERFACE: 'CGI/1.1',
      // What WordPress takes for a server that reads its .htaccess.
      SERVER_SOFTWARE: 'Apache/2.4 (Berth)',
      SERVER_PROTOCOL: 'HTTP/1.1',
      SERVER_NAME: tenant.domain,
      SERVER_ADDR: '127.0.0.1',
      // The Host names no port.
      SERVER_PORT: '80',
      REMOTE_ADDR: '127.0.0.1',
      REQUEST_METHOD: 'GET',
      REQUEST_SCHEME: 'http',
      REQUEST_URI: '/server.php/p%20i/x?q=1&r=%2F',
      QUERY_STRING: 'q=1&r=%2F',
      DOCUMENT_ROOT: root,
      SCRIPT_NAME: '/server.php',
      SCRIPT_FILENAME: `${root}/server.php`,
      PATH_INFO: '/p i/x',
      PHP_SELF: '/server.php/p i/x',
      HTTP_HOST: tenant.domain,
    })
    expect(Number(seen['REMOTE_PORT'])).toBeGreaterThan(0)
    const bare = await server('/server.php')
    for (const name of ['HTTPS', 'PATH_INFO', 'CONTENT_LENGTH'])
      expect(bare).not.toHaveProperty(name)
    expect(bare).toMatchObject({ QUERY_STRING: '', PHP_SELF: '/server.php' })
  })

  it('knows of the page cache as plugins of LiteSpeed look for it', async () => {
    const { tenant, instance } = site()
    const forged = {
      'X-LSCACHE': 'on,esi',
      'X-LITEMAGE': '1',
      'X-LSCACHE-Vary-Value': 'guest',
      'ESI-Referer': '/x',
      'X-LiteSpeed-Purge': '*',
      'X-Litespeed-Anything': '1',
      'X-Fine': 'yes',
    }
    const seen = await server('/server.php/a%20b?q=1', { headers: forged })
    expect(seen).toMatchObject({
      'X-LSCACHE': 'on,crawler',
      LSWS_EDITION: 'Openlitespeed (Berth)',
      PAGE_CACHE_PURGE: `http://127.0.0.1:${instance.webPort}`,
      PAGE_CACHE_HITS: expect.stringMatching(/^\d+\/\d+$/) as string,
      SCRIPT_URL: '/server.php/a%20b',
      SCRIPT_URI: `http://${seen['HTTP_HOST'] ?? ''}/server.php/a%20b`,
      REQUEST_URI: '/server.php/a%20b?q=1',
      HTTP_X_FINE: 'yes',
    })
    expect(seen['HTTP_HOST']).toMatch(new RegExp(`^${tenant.domain}(:${instance.webPort})?$`))
    for (const name of Object.keys(seen)) expect(name).not.toMatch(/^HTTP_(X_LSCACHE|X_LITE|ESI_)/)
  })

  it('sees TLS', async () => {
    expect(await server('/server.php', { secure: true })).toMatchObject({
      HTTPS: 'on',
      REQUEST_SCHEME: 'https',
      SERVER_PORT: '443',
    })
  })

  it('passes header fields, and none that libraries take for settings', async () => {
    const seen = await server('/server.php', {
      headers: {
        'X-Fine': 'yes',
        'User-Agent': 'probe/1',
        Cookie: 'k=v; l=w',
        Proxy: 'http://evil.test',
        X_Under: '1',
        'X-Utf8': 'caf\xc3\xa9',
      },
    })
    expect(seen).toMatchObject({
      HTTP_X_FINE: 'yes',
      HTTP_USER_AGENT: 'probe/1',
      HTTP_COOKIE: 'k=v; l=w',
      HTTP_X_UTF8: 'café',
    })
    expect(seen).not.toHaveProperty('HTTP_PROXY')
    expect(seen).not.toHaveProperty('HTTP_X_UNDER')
  })

  it('tells header names by getallheaders and apache_request_headers', async () => {
    const answer = await site().visit('/headers.php', {
      method: 'POST',
      body: 'x=1',
      headers: { 'X-Custom-Name': 'v', 'Content-Type': 'text/x-odd' },
    })
    const lower = (JSON.parse(answer.text) as Strings[]).map((all) =>
      Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
    )
    for (const all of lower)
      expect(all).toMatchObject({ 'x-custom-name': 'v', 'content-type': 'text/x-odd' })
  })

  it('understands Authorization', async () => {
    const basic = `Basic ${Buffer.from('user:pa:ss').toString('base64')}`
    expect(await server('/server.php', { headers: { Authorization: basic } })).toMatchObject({
      PHP_AUTH_USER: 'user',
      PHP_AUTH_PW: 'pa:ss',
    })
    const digest = 'Digest username="u", realm="r"'
    expect(await server('/server.php', { headers: { Authorization: digest } })).toMatchObject({
      PHP_AUTH_DIGEST: 'username="u", realm="r"',
    })
    const bearer = await server('/server.php', { headers: { Authorization: 'Bearer t.o.k' } })
    expect(bearer['HTTP_AUTHORIZATION']).toBe('Bearer t.o.k')
  })

  it('runs the index of a directory', async () => {
    expect((await site().visit('/sub/')).text).toBe('sub /sub/index.php /sub/index.php')
  })

  it('never takes a query for options', async () => {
    for (const query of ['-s', '-h', '%2ds', '+-s', '-d+open_basedir%3dx', '-d+open_basedir=/&x']) {
      const answer = await site().visit(`/basedir.php?${query}`)
      expect([query, answer.status, answer.text.trim()]).toEqual([query, 200, 'bool(false)'])
    }
    expect(await server('/server.php?a%20b')).toMatchObject({ QUERY_STRING: 'a%20b' })
  })

  it('gives scripts nothing of the server’s environment', async () => {
    const env = JSON.parse((await site().visit('/env.php')).text) as Strings
    for (const name of Object.keys(env))
      expect(name).not.toMatch(/^(LD_|NODE|UV_|BERTH|FPM_|PHP_INI|PHPRC|LANG$|LC_)/)
    if (site().mode === 'cgi') {
      for (const name of ['PATH', 'HOME', 'USER', 'TZ']) expect(env).not.toHaveProperty(name)
      expect(env).toMatchObject({ REDIRECT_STATUS: '200', SCRIPT_NAME: '/env.php' })
    }
  })
}
