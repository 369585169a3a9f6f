import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { ask, serveHosts, startApp, type RunningApp } from './support/proxied-web.ts'

let app: RunningApp
let web: WebProcess

const site = (domain: string, from: string, to: string): string => `
[[virtualhost]]
domain = "${domain}"
root = "/nonexistent"
[virtualhost.proxy]
upstream = "http://127.0.0.1:${app.port}"
paths = ["/"]
replace_prefix = { from = "${from}", to = "${to}" }
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
      site('p.test', '/büro', '/b'),
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
  ])('%s: %s %s is %s for visitors', async (host, name, said, expected) => {
    const answer = await ask(web.port, '/', { host, headers: { 'x-say': `${name}|${said}` } })
    const value = answer.headers[name.toLowerCase()]
    expect(Array.isArray(value) ? value[0] : value).toBe(
      expected.replaceAll('PORT', String(app.port)),
    )
  })
})
