import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngine, type EngineServer } from '../support/engine-server.ts'
import { KeptConnection } from '../support/get.ts'
import { RawClient, splitResponses, type RawResponse } from '../support/raw-client.ts'
import { eventually } from '../support/web-process.ts'

const ETAG = '"v1"'
const page = (size: number): string => '<p>Grüße an alle.</p>\n'.repeat(size / 20).slice(0, size)
/** Above 64 KB the body is written apart from the head. */
const PAGES: Record<string, string> = { '/small': page(3000), '/large': page(200_000) }

let server: EngineServer
beforeAll(async () => {
  server = await startEngine((_request, { rawTarget }) => {
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      etag: ETAG,
      vary: 'accept-encoding',
    }
    return Promise.resolve(new Response(PAGES[rawTarget] ?? null, { headers }))
  })
  for (const path of Object.keys(PAGES)) {
    await ask(path, '')
    await eventually('the page is encoded', async () => {
      const { headers } = await ask(path, 'Accept-Encoding: br\r\n')
      return headers['content-encoding'] === 'br'
    })
  }
})
afterAll(() => server.close())

/** One request; the slow path is taken by what ends its connection. */
const ask = async (
  path: string,
  fields: string,
  options: { method?: string; cold?: boolean } = {},
): Promise<RawResponse> => {
  const { method = 'GET', cold = false } = options
  const client = new RawClient(server.port)
  const close = cold ? 'Connection: close\r\n' : ''
  client.write(`${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${fields}${close}\r\n`)
  const done = (text: string): boolean =>
    text.includes('\r\n\r\n') && splitResponses(text, [method])[0]?.complete === true
  await client.until(done)
  client.destroy()
  const [answer] = splitResponses(client.text, [method])
  if (answer === undefined) throw new Error('no answer')
  return answer
}

const decoded = ({ headers, body }: RawResponse): string => {
  const bytes = Buffer.from(body, 'latin1')
  if (headers['content-encoding'] === 'gzip') return gunzipSync(bytes).toString()
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes).toString()
  return bytes.toString()
}

/** What two answers to the same question must have in common: all but the moment and the connection. */
const essence = ({ status, headers, body, complete }: RawResponse) => {
  const { date: _date, age: _age, connection: _connection, ...rest } = headers
  return {
    status,
    body,
    complete,
    headers: { ...rest, 'cache-status': rest['cache-status']?.slice(0, 17) },
  }
}

const FIELDS = [
  '',
  'gzip',
  'br',
  'gzip, deflate, br, zstd',
  'gzip;q=1, br;q=0.1',
  'identity',
  'gzip;q=0, br;q=0',
  'identity;q=0, *;q=0',
]
const TAGS = ['', ETAG, `W/${ETAG}`, '"v2"', `"v2", W/${ETAG}`]

describe('codings on the hot and the slow path', () => {
  for (const path of Object.keys(PAGES)) {
    it.each(FIELDS)(`${path}: Accept-Encoding %s is answered alike`, async (field) => {
      for (const tag of TAGS) {
        for (const method of ['GET', 'HEAD']) {
          const fields =
            (field === '' ? '' : `Accept-Encoding: ${field}\r\n`) +
            (tag === '' ? '' : `If-None-Match: ${tag}\r\n`)
          const before = server.engine.counters().fastHits
          const hot = await ask(path, fields, { method })
          // Lists and other tags are not the fast path's.
          const judged = tag === '' || tag === ETAG || tag === `W/${ETAG}`
          expect(server.engine.counters().fastHits - before).toBe(judged ? 1 : 0)
          const cold = await ask(path, fields, { method, cold: true })
          expect(server.engine.counters().fastHits - before).toBe(judged ? 1 : 0)
          expect(essence(hot)).toEqual(essence(cold))
          expect(hot.headers['x-cache']).toBe('HIT')
          expect(hot.headers['vary']).toBe('accept-encoding')
          if (hot.status === 200 && method === 'GET') expect(decoded(hot)).toBe(PAGES[path])
        }
      }
    })
  }

  it('logs and counts the bytes that were sent', async () => {
    const before = server.engine.counters().fastBytes
    const counted = server.cache.counters().bytesServed
    const { body } = await ask('/large', 'Accept-Encoding: gzip\r\n')
    expect(server.engine.counters().fastBytes - before).toBe(body.length)
    expect(server.cache.counters().bytesServed - counted).toBe(body.length)
    expect(await server.accessLog()).toContain(` 200 ${body.length} `)
  })

  it('serves several codings on one connection, pipelined', async () => {
    const client = new RawClient(server.port)
    const fields = ['gzip', 'br', '', 'gzip']
    client.write(
      fields
        .map((field) => `GET /small HTTP/1.1\r\nHost: a.test\r\nAccept-Encoding: ${field}\r\n\r\n`)
        .join(''),
    )
    await client.until((text) => {
      try {
        return splitResponses(text).filter(({ complete }) => complete).length === 4
      } catch {
        return false
      }
    })
    const answers = splitResponses(client.text)
    expect(answers.map(({ headers }) => headers['content-encoding'] ?? '')).toEqual(fields)
    for (const answer of answers) expect(decoded(answer)).toBe(PAGES['/small'])
    client.destroy()
  })

  it('does not guess at two Accept-Encoding fields', async () => {
    const connection = new KeptConnection(server.port, 'a.test')
    const before = server.engine.counters().fastHits
    const answer = await connection.get(
      '/small',
      'Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n',
    )
    expect(server.engine.counters().fastHits).toBe(before)
    expect(answer.headers['content-encoding']).toBe('br')
    connection.close()
  })
})
