import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFront } from '#edge-cache/examples/node.ts'

let runs = 0
/** Open requests of `/slow`, answered together. */
const waiting: (() => void)[] = []
const origin = createServer((request, response) => {
  runs++
  const page = (): unknown =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`run ${runs}`)
  if (request.url === '/login')
    response
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': ['sid=1', 'b=2'] })
      .end('yours')
  else if (request.url === '/slow') waiting.push(page)
  else page()
})
let front: Server
let base = ''
const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port)
    })
  })

beforeAll(async () => {
  const port = await listening(origin)
  front = createFront({ origin: `http://127.0.0.1:${port}`, purgeToken: 'secret' })
  base = `http://127.0.0.1:${await listening(front)}`
})
afterAll(() => {
  for (const server of [front, origin]) {
    server.closeAllConnections()
    server.close()
  }
})

const get = async (path: string) => {
  const response = await fetch(base + path)
  return { body: await response.text(), xCache: response.headers.get('x-cache'), response }
}

test('answers the second view from the store, and a purged page anew', async () => {
  const first = await get('/page')
  expect(first.xCache).toBe('MISS')
  expect(await get('/page')).toMatchObject({ xCache: 'HIT', body: first.body })
  const purge = (authorization: string) =>
    fetch(`${base}/page`, { method: 'PURGE', headers: { authorization } })
  expect((await purge('Bearer wrong')).status).toBe(403)
  expect((await get('/page')).xCache).toBe('HIT')
  expect((await purge('Bearer secret')).status).toBe(204)
  const anew = await get('/page')
  expect(anew.xCache).toBe('MISS')
  expect(anew.body).not.toBe(first.body)
})

test('stores nothing that sets a cookie, and passes each cookie on', async () => {
  for (const _ of [1, 2]) {
    const { xCache, response } = await get('/login')
    expect(xCache).not.toBe('HIT')
    expect(response.headers.getSetCookie()).toEqual(['sid=1', 'b=2'])
  }
})

test('asks the origin once for parallel misses', async () => {
  const before = runs
  const views = [get('/slow'), get('/slow'), get('/slow')]
  await expect.poll(() => waiting.length).toBe(1)
  waiting[0]?.()
  const bodies = (await Promise.all(views)).map(({ body }) => body)
  expect(new Set(bodies).size).toBe(1)
  expect(runs).toBe(before + 1)
})
