import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOGIN_PATH } from '#handlers/domain/wordpress/login-path.ts'
import { notFound } from '#handlers/errors.ts'
import { createSiteLogin } from '#handlers/sites/site-login.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'
import { launchBrowser } from '../support/open-browser.ts'

const TICKET = 'a'.repeat(43)
let browser: Browser
let server: Server
let origin: string
const taken: string[] = []
const asked: { url: string; headers: IncomingHttpHeaders }[] = []

beforeAll(async () => {
  browser = await launchBrowser()
  const login = createSiteLogin(async (_, ticket) => {
    if (ticket !== TICKET || taken.includes(ticket)) throw notFound('No such ticket.')
    taken.push(ticket)
    return { cookies: ['wordpress_logged_in=chief; Path=/; HttpOnly'], location: '/wp-admin/' }
  })
  server = createServer((message, out) => {
    void (async () => {
      const { url = '/', method = 'GET', headers } = message
      asked.push({ url, headers })
      const chunks: Buffer[] = []
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
      if (url === '/wp-admin/') return out.end(`<p>${headers.cookie}</p>`)
      const body = method === 'POST' ? { body: new Uint8Array(Buffer.concat(chunks)) } : {}
      const fields = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ])
      const request = new Request(`${origin}${url}`, { method, headers: fields, ...body })
      const answer = await login(request, { vhost: virtualHost('site.test') })
      out.writeHead(answer.status, Object.fromEntries(answer.headers))
      return out.end(Buffer.from(await answer.arrayBuffer()))
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})

test('a browser is let in by its ticket, which no address that is asked for has', async () => {
  const page = await browser.newPage()
  await page.goto(`${origin}${LOGIN_PATH}#${TICKET}`)
  await page.waitForURL(`${origin}/wp-admin/`)
  expect(await page.textContent('p')).toContain('wordpress_logged_in=chief')
  for (const { url, headers } of asked) expect(`${url} ${headers.referer}`).not.toContain(TICKET)
  // Once: the same link later is nobody's.
  await page.goto(`${origin}${LOGIN_PATH}#${TICKET}`)
  await page.getByText('404').waitFor()
  await page.close()
})

test('the form of another site gets nobody in', async () => {
  taken.length = 0
  const page = await browser.newPage()
  await page.setContent(
    `<form method="post" action="${origin}${LOGIN_PATH}"><input name="ticket" value="${TICKET}"></form>`,
  )
  await page.evaluate(() => document.forms[0]?.submit())
  await page.getByText('403').waitFor()
  expect(taken).toEqual([])
  await page.close()
})
