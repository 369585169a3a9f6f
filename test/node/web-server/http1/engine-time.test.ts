import { afterEach, describe, expect, it } from 'vitest'
import { startEngine, type EngineServer } from '../support/engine-server.ts'
import { RawClient, splitResponses } from '../support/raw-client.ts'

let server: EngineServer
afterEach(() => server.close())

const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'
const plain = (): Promise<Response> =>
  Promise.resolve(
    new Response('ok', { headers: { 'content-type': 'text/html', 'content-length': '2' } }),
  )

describe('slow clients', () => {
  it('get 408 for a head that does not come to its end', async () => {
    server = await startEngine(plain, { times: { headMs: 1000 } })
    const client = new RawClient(server.port)
    client.write(GET.slice(0, -4))
    await client.closed
    expect(splitResponses(client.text)).toMatchObject([{ status: 408 }])
    client.destroy()
  })

  it('cannot hold a connection by a byte now and then', async () => {
    server = await startEngine(plain, { times: { headMs: 1000 }, requestMs: 2000 })
    const client = new RawClient(server.port)
    client.write('GET / HTTP/1.1\r\nHost: a.test\r\nX: ')
    const drip = setInterval(() => client.write('y'), 50)
    await client.closed
    clearInterval(drip)
    expect(splitResponses(client.text)).toMatchObject([{ status: 408 }])
    client.destroy()
  })

  it('that say nothing, or nothing more, are closed', async () => {
    server = await startEngine(plain, { times: { keepAliveMs: 1000, headMs: 1000 } })
    const silent = new RawClient(server.port)
    const idle = new RawClient(server.port)
    idle.write(GET)
    await Promise.all([silent.closed, idle.closed])
    expect(silent.text).toBe('')
    expect(splitResponses(idle.text)).toMatchObject([{ status: 200 }])
    silent.destroy()
    idle.destroy()
  })

  it('that do not send their body are closed', async () => {
    server = await startEngine(async (request) => new Response(await request.text()), {
      requestMs: 1000,
    })
    const client = new RawClient(server.port)
    client.write('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nabc')
    await client.closed
    expect(client.text === '' || splitResponses(client.text)[0]?.status === 408).toBe(true)
    client.destroy()
  })

  it('that take nothing of a large answer are dropped', async () => {
    const body = 'z'.repeat(60_000)
    server = await startEngine(
      () =>
        Promise.resolve(
          new Response(body, {
            headers: { 'content-type': 'text/html', 'content-length': String(body.length) },
          }),
        ),
      { times: { stallMs: 1000 } },
    )
    const first = new RawClient(server.port)
    first.write(GET)
    await first.until((text) => text.length > body.length)
    first.destroy()
    const general = 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n'
    for (const request of [GET, GET.replace('/ ', '/?cold '), general]) {
      const client = new RawClient(server.port, { paused: true })
      client.socket.pause()
      client.write(request.repeat(500))
      const gone = new Promise<void>((resolve) => {
        const check = setInterval(() => {
          if (server.engine.connections() > 0) return
          clearInterval(check)
          resolve()
        }, 20)
      })
      await gone
      client.destroy()
    }
  })
})

describe('draining', () => {
  it('answers what is under way, says that the connection ends, and closes what idles', async () => {
    server = await startEngine(async (_request, { rawTarget }) => {
      if (rawTarget === '/slow') await new Promise((resolve) => setTimeout(resolve, 300))
      return plain()
    })
    const slow = new RawClient(server.port)
    const hot = new RawClient(server.port)
    const posting = new RawClient(server.port)
    const idle = new RawClient(server.port)
    for (const client of [hot, idle]) {
      client.write(GET)
      await client.until((text) => text.endsWith('ok'))
      client.text = ''
    }
    slow.write(GET.replace('/ ', '/slow '))
    posting.write('POST /slow HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, 50))
    const drained = server.engine.drain()
    // One more request on a kept connection is still served.
    hot.write(GET)
    await Promise.all([slow.closed, posting.closed, idle.closed, hot.closed, drained])
    for (const client of [slow, posting, hot]) {
      expect(splitResponses(client.text)).toMatchObject([
        { status: 200, body: 'ok', headers: { connection: 'close' } },
      ])
      client.destroy()
    }
    expect(idle.text).toBe('')
    idle.destroy()
    expect(server.engine.connections()).toBe(0)
  })
})
