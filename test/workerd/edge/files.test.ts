import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type EdgeInstance, startEdge } from './edge-instance.ts'

let edge: EdgeInstance
let server: Server
let sockets: WebSocketServer
/** Ends the answer that streams. */
let finish = (): void => undefined

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    if (request.url === '/stream') {
      response.write('first')
      finish = () => response.end('last')
    } else response.end(`${request.headers.host} ${request.url}`)
  })
  sockets = new WebSocketServer({ server, handleProtocols: () => 'chat' })
  sockets.on('connection', (socket, request) => {
    socket.send(`${request.url} ${String(request.headers['x-forwarded-host'])}`)
    socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  edge = await startEdge({
    isOriginReal: true,
    variables: {
      SITE_APP: { domain: 'app.test', origin: `http://127.0.0.1:${port}` },
      SITE_FILES: { domain: 'files.test', assets: '/files' },
      SITE_BARE: { domain: 'bare.test', assets: '/bare' },
    },
    files: {
      'files/index.html': '<h1>home</h1>',
      'files/404.html': '<h1>nothing</h1>',
      'files/a b%20c.txt': 'odd name',
      'files/docs/index.html': 'docs',
      'files/film.mp4': '0123456789',
      'files/.env': 'secret',
      'files/config.php.bak': 'secret',
      'bare/index.html': 'bare',
      'other/index.html': 'nobody\u2019s',
    },
  })
})
afterAll(async () => {
  await edge?.close()
  sockets?.close()
  for (const client of sockets?.clients ?? []) client.terminate()
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
})

const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await edge.ask(`https://files.test${path}`, { headers, method })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

test('files are answered with their type and tag, folders with their index', async () => {
  const home = await ask('/')
  expect([home.status, home.body]).toEqual([200, '<h1>home</h1>'])
  expect(home.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(home.headers.get('etag')).toMatch(/^"/)
  expect((await ask('/docs/')).body).toBe('docs')
  const moved = await ask('/docs?x=1')
  expect([moved.status, moved.headers.get('location')]).toEqual([301, '/docs/?x=1'])
  expect((await ask('/a%20b%2520c.txt')).body).toBe('odd name')
})

test('conditions, parts and HEAD are answered', async () => {
  const { headers } = await ask('/film.mp4')
  const etag = headers.get('etag') ?? ''
  expect((await ask('/film.mp4', { 'if-none-match': etag })).status).toBe(304)
  expect((await ask('/film.mp4', { 'if-match': '"other"' })).status).toBe(412)
  const part = await ask('/film.mp4', { range: 'bytes=-3' })
  expect([part.status, part.headers.get('content-range'), part.body]).toEqual([
    ...[206, 'bytes 7-9/10', '789'],
  ])
  expect((await ask('/film.mp4', { range: 'bytes=50-' })).status).toBe(416)
  const parts = await ask('/film.mp4', { range: 'bytes=0-1,4-5' })
  expect(parts.headers.get('content-type')).toMatch(/^multipart\/byteranges/)
  expect(parts.body).toMatch(/bytes 0-1\/10\r\n\r\n01\r\n[^]*bytes 4-5\/10\r\n\r\n45\r\n/)
  const whole = await ask('/film.mp4', { range: 'bytes=0-1', 'if-range': '"other"' })
  expect([whole.status, whole.body]).toEqual([200, '0123456789'])
  expect((await ask('/film.mp4', {}, 'HEAD')).status).toBe(200)
  expect((await ask('/film.mp4', {}, 'POST')).status).toBe(405)
})

test.each([
  '/.env',
  '/config.php.bak',
  '/../other/index.html',
  '/..%2fother/index.html',
  '/%2e%2e/other/',
])('there is nothing at %s', async (path) => {
  const answer = await ask(path)
  expect([answer.status, answer.body]).toEqual([404, '<h1>nothing</h1>'])
})

test('each site has its own folder, and nobody the others', async () => {
  expect(await (await edge.ask('https://bare.test/')).text()).toBe('bare')
  expect((await edge.ask('https://bare.test/film.mp4')).status).toBe(404)
  expect((await edge.ask('https://nobody.test/files/film.mp4')).status).toBe(404)
})

test('an answer goes on as it comes', async () => {
  const address = await edge.address()
  const answer = await new Promise<string>((resolve, reject) => {
    fetchRaw(address, resolve, reject)
  })
  expect(answer).toBe('first')
  finish()
})

/** The first piece of the body of `/stream`, while its end is not there yet. */
const fetchRaw = (address: URL, resolve: (text: string) => void, reject: (e: unknown) => void) => {
  const target = new URL('/stream', address)
  void import('node:http').then(({ get }) =>
    get(target, { headers: { host: 'app.test' } }, (response) =>
      response.once('data', (chunk: Buffer) => resolve(chunk.toString())),
    ).on('error', reject),
  )
}

test('WebSockets are passed on in both directions', async () => {
  const { host } = await edge.address()
  const socket = new WebSocket(`ws://${host}/chat?x=1`, ['chat'], { headers: { host: 'app.test' } })
  const said: string[] = []
  socket.on('message', (data: Buffer) => said.push(data.toString()))
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  socket.send('hello')
  await expect.poll(() => said).toEqual(['/chat?x=1 app.test', 'echo hello'])
  expect(socket.protocol).toBe('chat')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.close()
  await closed
})
