import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngine, type EngineServer } from '../support/engine-server.ts'
import { get, MALFORMED_REQUESTS } from '#test/attack/support/malformed-requests.ts'
import { exchange, splitResponses } from '../support/raw-client.ts'

let server: EngineServer
const seen: string[] = []
beforeAll(async () => {
  server = await startEngine(async (request, context) => {
    seen.push(`${request.method} ${request.headers.get('host')} ${context.rawTarget}`)
    await request.text().catch(() => '')
    return new Response('reached')
  })
  // A page in the cache: nothing malformed may be answered from it either.
  await exchange(server.port, 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
})
afterAll(() => server.close())

describe('malformed requests', () => {
  it.each(MALFORMED_REQUESTS)('%s', async (_name, bytes, statuses) => {
    seen.length = 0
    const answers = splitResponses(await exchange(server.port, bytes))
    expect(answers.map((answer) => answer.status)).toHaveLength(1)
    expect(statuses).toContain(answers[0]?.status)
    expect(answers[0]?.headers['x-cache']).toBeUndefined()
    expect(seen.filter((line) => line.includes('smuggled'))).toEqual([])
  })
})

describe('odd but valid requests', () => {
  it('in absolute form reach the host they name', async () => {
    const [answer] = splitResponses(
      await exchange(server.port, get('X: y').replace('GET /', 'GET http://a.test/abs')),
    )
    expect(answer).toMatchObject({ status: 200, body: 'reached' })
    expect(seen).toContain('GET a.test /abs')
  })
  it('after empty lines', async () => {
    const [answer] = splitResponses(await exchange(server.port, `\r\n\r\n${get('X: y')}`))
    expect(answer?.status).toBe(200)
  })
  it('in HTTP/1.0, with and without Host', async () => {
    for (const fields of ['Host: a.test\r\n', '']) {
      const text = await exchange(server.port, `GET /old HTTP/1.0\r\n${fields}\r\n`)
      expect(splitResponses(text)).toMatchObject([
        { status: 200, headers: { connection: 'close' } },
      ])
    }
  })
})
