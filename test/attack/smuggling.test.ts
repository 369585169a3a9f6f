import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proxyToml, serveHosts } from '#test/node/proxy/support/proxied-web.ts'
import {
  exchange,
  splitResponses,
  type RawResponse,
} from '#test/node/web-server/support/raw-client.ts'
import { startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { NodeReader, type ReadRequest } from '#test/unit/web-server/support/node-reader.ts'
import { MALFORMED_REQUESTS } from './support/malformed-requests.ts'
import { SMUGGLING_REQUESTS, type SmugglingCase } from './support/smuggling-requests.ts'

const CASES: readonly SmugglingCase[] = [
  ...SMUGGLING_REQUESTS,
  ...MALFORMED_REQUESTS.map(([name, bytes, statuses]) => ({ name, bytes, answers: [statuses] })),
]
const LISTENERS = ['http', 'https'] as const
const HIT = 'GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n'
/** What each page says as long as it is nobody else's. */
const page = (path: string): string => `GET ${path} of a.test`

let web: WebProcess
/** An application that takes whatever it can make something of, as old ones do. */
let app: Server
let reached: string[] = []
const reader = new NodeReader(16_384)

beforeAll(async () => {
  app = createServer({ insecureHTTPParser: true, requireHostHeader: false }, (message, out) => {
    let body = ''
    message.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
    message.on('end', () => {
      reached.push(`${message.method} ${message.url} ${body}`)
      out.setHeader('content-type', 'text/html')
      out.end(`${message.method} ${message.url} of ${message.headers.host}`)
    })
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', () => resolve()))
  web = await startWeb({ workers: 1 })
  await serveHosts(web, 'a', proxyToml('a.test', (app.address() as AddressInfo).port))
})
afterAll(async () => {
  await web?.remove()
  app.closeAllConnections()
  app.close()
})

const ask = async (listener: (typeof LISTENERS)[number], bytes: string): Promise<RawResponse[]> =>
  splitResponses(
    listener === 'http'
      ? await exchange(web.port, Buffer.from(bytes, 'latin1'))
      : await exchange(web.sslPort, Buffer.from(bytes, 'latin1'), { servername: 'a.test' }),
  )

/** Requests as the application lists them; an absolute target is told by its path. */
const listed = (requests: readonly ReadRequest[]): string[] =>
  requests.map(
    ({ method, target, body }) =>
      `${method} ${target.replace(/^http:\/\/[^/]*/, '')} ${method === 'GET' ? '' : body}`,
  )

/** Whether `some` are among `all`, in that order. */
const areAmong = (some: readonly string[], all: readonly string[]): boolean => {
  let at = 0
  return some.every((one) => (at = all.indexOf(one, at) + 1) > 0)
}

describe.each(LISTENERS)('on the %s listener', (listener) => {
  test.each(CASES)('$name', async ({ bytes, answers }) => {
    const [strict] = await reader.read([Buffer.from(bytes, 'latin1')])
    for (const before of ['', HIT]) {
      if (before !== '') await ask(listener, before)
      reached = []
      const got = await ask(listener, before + bytes)
      const statuses = got.map(({ status }) => status)
      const own = statuses.slice(before === '' ? 0 : 1)
      if (before !== '') expect(got[0]).toMatchObject({ status: 200, body: page('/page') })
      expect(own, JSON.stringify(got)).toHaveLength(answers.length)
      for (const [at, allowed] of answers.entries()) expect(allowed).toContain(own[at])
      // No more than what node:http finds in these bytes by itself, and nothing else.
      expect(own.filter((status) => status === 200).length).toBeLessThanOrEqual(
        strict?.requests.length ?? 0,
      )
      expect(areAmong(reached, listed(strict?.requests ?? [])), reached.join('\n')).toBe(true)
      expect(reached.join('\n')).not.toMatch(/^\w+ \/smuggled/m)
      for (const { status, headers } of got.slice(before === '' ? 0 : 1))
        if (status >= 400) expect(headers['x-cache']).toBeUndefined()
    }
  })

  test('every page is still its own', async () => {
    for (const path of ['/page', '/', '/p', '/post', '/next']) {
      const [answer] = await ask(
        listener,
        `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatchObject({ status: 200, body: page(path) })
    }
    const [first] = await ask(listener, HIT)
    expect(first?.headers['x-cache']).toBe('HIT')
  })
})

test('what was smuggled is in no cache', async () => {
  reached = []
  const [answer] = await ask('http', 'GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n')
  expect(answer).toMatchObject({ status: 200, body: page('/smuggled') })
  expect(reached).toEqual(['GET /smuggled '])
})
