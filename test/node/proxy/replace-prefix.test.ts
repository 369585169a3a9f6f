import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { ask, serveHosts, startApp, type RunningApp } from './support/proxied-web.ts'

let app: RunningApp
let web: WebProcess

const site = (domain: string, from: string, to: string, plain = false): string => `
[[virtualhost]]
domain = "${domain}"
root = "/nonexistent"
[virtualhost.proxy]
upstream = "http://127.0.0.1:${app.port}"
paths = ["/"]
replace_prefix = { from = "${from}", to = "${to}"${plain ? ', plain = true' : ''} }
[virtualhost.cache]
enable = false
`

beforeAll(async () => {
  app = await startApp((message, out) => {
    const said = message.headers['x-say']
    const [name = '', value = ''] = typeof said === 'string' ? said.split('|') : []
    if (name !== '') out.setHeader(name, value.replaceAll('PORT', String(app.port)))
    out.end(message.url)
  })
  web = await startWeb({ workers: 1 })
  await serveHosts(
    web,
    'p',
    site('strip.test', '/wiki', '/') +
      site('move.test', '/shop', '/app/v1') +
      site('deep.test', '/', '/x/') +
      site('p.test', '/büro', '/b') +
      site('cut.test', '/ä/', '/b', true) +
      site('doubled.test', '/api', '/', true) +
      site('alike.test', '/', '/'),
  )
})
afterAll(async () => {
  await web?.remove()
  await app?.close()
})

describe('replace_prefix', () => {
  test.each([
    ['strip.test', '/wiki', '/'],
    ['strip.test', '/wiki/', '/'],
    ['strip.test', '/wiki?a=b', '/?a=b'],
    ['strip.test', '/wiki/a%20b?x=/wiki', '/a%20b?x=/wiki'],
    ['strip.test', '/wiki//evil.test/x', '/evil.test/x'],
    ['strip.test', '/wikis', '/wikis'],
    ['strip.test', '/', '/'],
    ['move.test', '/shop/a', '/app/v1/a'],
    ['move.test', '/shop', '/app/v1'],
    ['move.test', '/other', '/other'],
    ['deep.test', '/a', '/x/a'],
    ['p.test', '/b%C3%BCro/a', '/b/a'],
    ['cut.test', '/%C3%A4/c?d', '/bc?d'],
    ['cut.test', '/%C3%A4', '/%C3%A4'],
    ['doubled.test', '/api/a', '//a'],
    ['doubled.test', '/apis', '/s'],
    ['doubled.test', '/api?a', '/?a'],
  ])('%s%s is %s at the application', async (host, path, expected) => {
    expect((await ask(web.port, path, { host })).text).toBe(expected)
  })

  test.each([
    ['strip.test', 'Location', '/a?b', '/wiki/a?b'],
    ['strip.test', 'Location', '/', '/wiki/'],
    ['strip.test', 'Location', 'a/b', 'a/b'],
    ['strip.test', 'Location', '//other.test/a', '//other.test/a'],
    ['strip.test', 'Location', 'https://other.test/a', 'https://other.test/a'],
    ['strip.test', 'Location', 'http://strip.test/a', 'http://strip.test/wiki/a'],
    ['strip.test', 'Location', 'http://strip.test', 'http://strip.test/wiki/'],
    ['strip.test', 'Content-Location', '/a', '/wiki/a'],
    ['strip.test', 'Set-Cookie', 'a=b; Path=/; HttpOnly', 'a=b; Path=/wiki/; HttpOnly'],
    ['strip.test', 'Set-Cookie', 'path=/x; Secure', 'path=/x; Secure'],
    ['move.test', 'Location', '/app/v1', '/shop'],
    ['move.test', 'Location', 'http://127.0.0.1:PORT/other', '/other'],
    ['move.test', 'Location', 'http://127.0.0.1:PORT//evil.test/x', '/evil.test/x'],
    ['move.test', 'Location', '/app/v10', '/app/v10'],
    ['move.test', 'Location', 'http://127.0.0.1:PORT/app/v1/x', '/shop/x'],
    ['move.test', 'Set-Cookie', 'a=b; path=/app/v1', 'a=b; path=/shop'],
    ['move.test', 'Set-Cookie', 'a=b; path=/', 'a=b; path=/'],
    ['deep.test', 'Location', '/x//evil.test', '/evil.test'],
    ['p.test', 'Location', '/b/x', '/b%C3%BCro/x'],
    ['cut.test', 'Location', 'http://127.0.0.1:PORT/bx', '/%C3%A4/x'],
    ['cut.test', 'Location', '/bx', '/bx'],
    ['cut.test', 'Location', 'http://cut.test/bx', 'http://cut.test/bx'],
    ['cut.test', 'Set-Cookie', 'a=b; Path=/b', 'a=b; Path=/b'],
    ['doubled.test', 'Location', 'http://127.0.0.1:PORT//x', '/api/x'],
    ['alike.test', 'Location', 'http://127.0.0.1:PORT/x?y', '/x?y'],
    ['alike.test', 'Location', 'https://127.0.0.1:PORT/x', '/x'],
    ['alike.test', 'Location', 'http://127.0.0.1:PORT', '/'],
    ['alike.test', 'Location', 'http://127.0.0.1:PORT//evil.test', '/evil.test'],
    ['alike.test', 'Location', 'http://127.0.0.1/x', 'http://127.0.0.1/x'],
    ['alike.test', 'Content-Location', 'http://127.0.0.1:PORT/x', '/x'],
    ['alike.test', 'Set-Cookie', 'a=b; Path=/', 'a=b; Path=/'],
  ])('%s: %s %s is %s for visitors', async (host, name, said, expected) => {
    const answer = await ask(web.port, '/', { host, headers: { 'x-say': `${name}|${said}` } })
    const value = answer.headers[name.toLowerCase()]
    expect(Array.isArray(value) ? value[0] : value).toBe(
      expected.replaceAll('PORT', String(app.port)),
    )
  })
})
