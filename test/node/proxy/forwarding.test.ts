import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { ask, proxyToml, serveHosts, startApp, type RunningApp } from './support/proxied-web.ts'

let app: RunningApp
let web: WebProcess
/** What the application was told, by field. */
const told = async (
  port: number,
  headers: Record<string, string>,
): Promise<Record<string, string>> =>
  JSON.parse((await ask(port, '/?uncached', { headers })).text) as Record<string, string>

const FORGED = {
  'x-forwarded-for': '6.6.6.6',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'evil.test',
  'x-forwarded-port': '443',
  'x-forwarded-server': 'evil.test',
  'x-real-ip': '6.6.6.6',
  forwarded: 'for=6.6.6.6',
  x_forwarded_for: '6.6.6.6',
  proxy: 'http://evil.test',
}
const serve = (message: { headers: unknown }, out: { end(text: string): unknown }): void => {
  out.end(JSON.stringify(message.headers))
}

describe('what a client says about itself', () => {
  beforeAll(async () => {
    app = await startApp(serve)
    web = await startWeb({ workers: 1 })
    await serveHosts(web, 'p', proxyToml('p.test', app.port))
  })
  afterAll(async () => {
    await web.remove()
    await app.close()
  })

  it('is replaced by the facts of the connection', async () => {
    const seen = await told(web.port, FORGED)
    expect(seen).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'p.test',
      'x-forwarded-port': '80',
      'x-real-ip': '127.0.0.1',
    })
    for (const name of ['x-forwarded-server', 'forwarded', 'x_forwarded_for', 'proxy'])
      expect(seen).not.toHaveProperty(name)
  })

  it('cannot be kept from the application, nor added to, by listing it in Connection', async () => {
    const seen = await told(web.port, {
      connection: 'close, x-forwarded-for, host, content-length, cookie, x-mine',
      'x-mine': '1',
      cookie: 'a=b',
      te: 'trailers',
      'keep-alive': '5',
    })
    expect(seen).toMatchObject({ 'x-forwarded-for': '127.0.0.1', host: 'p.test', cookie: 'a=b' })
    for (const name of ['x-mine', 'te', 'keep-alive']) expect(seen).not.toHaveProperty(name)
  })

  it.each([
    ['panel_token=secret', undefined],
    ['a=1; panel_token=secret; b=2', 'a=1; b=2'],
    ['PANEL_Token = secret;a=1', 'a=1'],
    ['my_panel_token=kept', 'my_panel_token=kept'],
  ])('the panel’s session in the cookies %j goes to no application', async (cookie, left) => {
    expect((await told(web.port, { cookie })).cookie).toBe(left)
    // The general way, by a body.
    const answer = await ask(web.port, '/?body', { method: 'POST', body: 'x', headers: { cookie } })
    expect((JSON.parse(answer.text) as Record<string, string>)['cookie']).toBe(left)
  })

  it('names no port that nobody listens on, because links are made from it', async () => {
    expect((await told(web.port, { host: 'p.test:9999' })).host).toBe('p.test')
    const shown = `p.test:${web.port}`
    const seen = await told(web.port, { host: shown })
    expect([seen['host'], seen['x-forwarded-host']]).toEqual([shown, shown])
  })
})

describe('what a trusted proxy says', () => {
  it('is passed on, with its own address behind it', async () => {
    app = await startApp(serve)
    web = await startWeb({
      workers: 1,
      more: '[panel]\ntrusted_proxies = ["127.0.0.0/8"]\n',
    })
    try {
      await serveHosts(web, 'p', proxyToml('p.test', app.port))
      const seen = await told(web.port, { ...FORGED, 'x-forwarded-host': 'www.p.test' })
      expect(seen).toMatchObject({
        'x-forwarded-for': '6.6.6.6, 127.0.0.1',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'www.p.test',
        'x-forwarded-port': '443',
      })
      const odd = await told(web.port, {
        'x-forwarded-for': '<x>',
        'x-forwarded-proto': 'gopher',
        'x-real-ip': '<x>',
      })
      expect(odd).toMatchObject({
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-real-ip': '127.0.0.1',
      })
      expect(seen['x-real-ip']).toBe('6.6.6.6')
    } finally {
      await web.remove()
      await app.close()
    }
  })
})
