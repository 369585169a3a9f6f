import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MALFORMED_REQUESTS } from '../support/malformed-requests.ts'
import {
  exchange,
  splitResponses,
  type RawResponse,
} from '#test/node/web-server/support/raw-client.ts'
import { siteToml } from '#test/node/web-server/support/static-web.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'

let web: WebProcess
let apiPort: number
beforeAll(async () => {
  web = await startWeb({ workers: 2 })
  writeFileSync(join(web.directory, 'state/index.html'), '<p>a page</p>')
  web.writeHosts('a', siteToml(web, 'a.test'))
  web.writeHosts('b', siteToml(web, 'b.test'))
  expect((await web.control('POST', '/reload')).status).toBe(200)
  const toml = readFileSync(join(web.directory, 'berth.toml'), 'utf8')
  apiPort = Number(/\[api\]\s+listen = "127\.0\.0\.1:(\d+)"/.exec(toml)?.[1])
})
afterAll(() => web?.remove())

const LISTENERS = ['http', 'https'] as const
const ask = async (listener: (typeof LISTENERS)[number], bytes: string): Promise<RawResponse[]> =>
  splitResponses(
    listener === 'http'
      ? await exchange(web.port, bytes)
      : await exchange(web.sslPort, bytes, { servername: 'a.test' }),
  )
const token = (): string => readFileSync(join(web.directory, 'run/management.token'), 'utf8').trim()

describe.each(LISTENERS)('on the %s listener', (listener) => {
  test.each(MALFORMED_REQUESTS)(
    '%s gets one refusal and nothing else',
    async (_, bytes, statuses) => {
      const answers = await ask(listener, bytes)
      expect(answers).toHaveLength(1)
      expect(statuses).toContain(answers[0]?.status)
      expect(answers[0]?.headers['x-cache']).toBeUndefined()
      expect(answers[0]?.body).not.toContain('a page')
    },
  )

  test('what was smuggled was never asked for', async () => {
    const name = `last-${listener}`
    await ask(listener, `GET /${name} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`)
    const log = join(web.directory, 'log/web/access.log')
    await eventually('logged', () => readFileSync(log, 'utf8').includes(name))
    // As the target of a request, not in the text of a refused one.
    expect(readFileSync(log, 'utf8')).not.toContain('"GET /smuggled')
  })

  test.each([
    ['GET', '/api/v1/cache/stats'],
    ['GET', '/api/v1/status'],
    ['GET', '/api/v1/cache/config'],
    ['GET', '/metrics'],
    ['POST', '/api/v1/cache/purge'],
    ['POST', '/reload'],
    ['POST', '/restart'],
  ])("%s %s is the site's own, even with the token", async (method, path) => {
    for (const host of ['a.test', '127.0.0.1', 'localhost', `127.0.0.1:${apiPort}`, 'web']) {
      const [answer] = await ask(
        listener,
        `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token()}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      expect([404, 405]).toContain(answer?.status)
      expect(answer?.body).not.toMatch(/virtual_hosts|hits|purged|berth_/)
    }
  })
})

describe('the management listener', () => {
  const call = (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port: apiPort, method, path, headers, agent: false },
        (answer) => {
          let body = ''
          answer.on('data', (part: Buffer) => (body += part.toString()))
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
        },
      )
      outgoing.on('error', reject)
      outgoing.end()
    })
  const PATHS = ['/api/v1/cache/stats', '/api/v1/cache/config', '/metrics', '/api/v1/nothing']

  test('tells nothing without the token', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${token()}`, token()])
      for (const path of PATHS) {
        const headers: Record<string, string> = authorization === '' ? {} : { authorization }
        expect((await call(path, headers)).status).toBe(401)
      }
    expect((await call('/api/v1/cache/purge', {}, 'POST')).status).toBe(401)
  })

  test('answers nobody who came under a foreign name, with the token or without', async () => {
    for (const host of ['a.test', 'evil.test', '127.0.0.1.evil.test', 'localhost@evil.test'])
      for (const authorization of ['Bearer x', `Bearer ${token()}`])
        expect((await call('/api/v1/cache/stats', { host, authorization })).status).toBe(400)
    expect((await call('/api/v1/cache/stats', { authorization: `Bearer ${token()}` })).status).toBe(
      200,
    )
  })

  test('serves no site', async () => {
    expect((await call('/', { host: 'a.test' })).body).not.toContain('a page')
  })
})
