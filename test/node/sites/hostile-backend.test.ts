import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPhpOrigin } from '#adapters/node/php-backends/php-origin.ts'
import { encodeHeader, RECORD } from '#adapters/node/php-backends/fastcgi/records.ts'
import { createSite, vhostOf } from '#test/contract/sites/sites-harness.ts'
import type { Site } from '#test/contract/sites/sites-harness.ts'
import { memoryFiles } from '#test/unit/sites/memory-site.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

/** A process of the tenant may sit where PHP should: it must not do more harm than a broken script. */
let server: Server
let open: Set<Socket>
/** What the backend does with the n-th request (from 1) of a connection. */
let behave: (socket: Socket, request: number) => void
let connections: number

beforeEach(async () => {
  makeDirectory()
  open = new Set()
  connections = 0
  server = createServer((socket) => {
    connections += 1
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    let requests = 0
    // A request of these tests comes in one piece.
    socket.on('data', () => behave(socket, ++requests))
  }).listen(join(directory, 'php.sock'))
  await new Promise((resolve) => server.once('listening', resolve))
})
afterEach(async () => {
  for (const socket of open) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const siteWith = (timeoutMs = 2000, idleMs = 5): Site =>
  createSite({
    vhosts: [vhostOf()],
    files: memoryFiles({ '/x.php': 'x' }),
    php: (log) =>
      createPhpOrigin({
        ensure: async () => ({ socket: join(directory, 'php.sock'), uid: null }),
        log,
        requestTimeoutMs: timeoutMs,
        maxConnectionsPerBackend: 2,
        idleMs,
      }),
  })

const out = (text: string): Buffer =>
  Buffer.concat([encodeHeader(RECORD.stdout, text.length), Buffer.from(text, 'latin1')])
const end = (appStatus = 0, protocolStatus = 0): Buffer =>
  Buffer.concat([
    encodeHeader(RECORD.endRequest, 8),
    Buffer.from([0, 0, 0, appStatus, protocolStatus, 0, 0, 0]),
  ])
const PAGE = Buffer.concat([out('Content-Type: text/plain\r\n\r\nfine'), end()])

describe('a backend that misbehaves', () => {
  it('becomes a 502 when it gives no answer', async () => {
    const cases: ((socket: Socket) => void)[] = [
      (socket) => socket.end(),
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'),
      (socket) => socket.write(end()),
      (socket) => socket.write(Buffer.concat([out('no header at all\n\n'), end()])),
      (socket) => socket.write(out('Status: 101 Switching\r\n\r\n')),
      (socket) => socket.write(Buffer.concat([out('X: a\0b\r\n\r\n'), end()])),
      (socket) => socket.end(out('Content-Type: text/html\r\n')),
      (socket) => socket.write(end(0, 1)),
      (socket) => {
        for (let i = 0; i < 100; i++) socket.write(out('X-Endless: yes\r\n'.repeat(400)))
      },
    ]
    for (const [index, act] of cases.entries()) {
      behave = act
      expect([index, (await siteWith().visit('/x.php')).status]).toEqual([index, 502])
    }
    behave = (socket) => socket.write(end(0, 2))
    expect((await siteWith().visit('/x.php')).status).toBe(503)
  })

  it('breaks only its own answer', async () => {
    const head = out('Content-Type: text/plain\r\n\r\npart')
    const cases: ((socket: Socket) => void)[] = [
      (socket) => socket.end(head),
      (socket) => socket.write(Buffer.concat([head, Buffer.from('garbage, no record')])),
      (socket) => socket.write(Buffer.concat([head, end(3)])),
    ]
    for (const act of cases) {
      behave = act
      await expect((await siteWith().visit('/x.php')).text()).rejects.toThrow()
    }
    behave = (socket) => socket.write(head)
    await expect((await siteWith(150).visit('/x.php')).text()).rejects.toThrow('150 ms')
  })

  it('is not listened to for ever where nothing is wanted of it', async () => {
    const closed = new Promise<void>((resolve) => {
      behave = (socket) => {
        socket.on('close', () => resolve())
        const more = (): void => {
          while (!socket.destroyed && socket.write(out('x'.repeat(60_000))));
        }
        socket.write(out('Content-Type: text/plain\r\n\r\n'))
        socket.on('drain', more)
        more()
      }
    })
    expect((await siteWith().visit('/x.php', { method: 'HEAD' })).status).toBe(200)
    await closed
  })

  it('holds back a backend that is faster than the reader', async () => {
    let written = 0
    behave = (socket) => {
      socket.write(out('Content-Type: text/plain\r\n\r\n'))
      const more = (): void => {
        while (!socket.destroyed && written < 200e6) {
          written += 60_000
          if (!socket.write(out('x'.repeat(60_000)))) break
        }
      }
      socket.on('drain', more)
      more()
    }
    const response = await siteWith().visit('/x.php')
    const reader = response.body!.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(written).toBeLessThan(4e6)
    await reader.cancel()
  })
})

describe('kept connections', () => {
  it('carry one request after another', async () => {
    behave = (socket) => socket.write(PAGE)
    const { visit } = siteWith(2000, 1000)
    for (let round = 0; round < 5; round++) {
      expect(await (await visit('/x.php')).text()).toBe('fine')
    }
    expect(connections).toBe(1)
  })

  it('are replaced when they prove closed, but nothing is sent twice that changes things', async () => {
    let posts = 0
    behave = (socket, request) => {
      if (request === 1) socket.write(PAGE)
      else socket.destroy()
    }
    const { visit } = siteWith(2000, 1000)
    for (let round = 0; round < 4; round++) {
      expect(await (await visit('/x.php')).text()).toBe('fine')
    }
    behave = (socket) => {
      posts += 1
      socket.destroy()
    }
    expect((await visit('/x.php', { method: 'POST', body: 'a=1' })).status).toBe(502)
    expect(posts).toBe(1)
  })

  it('are let go of soon, because each occupies a PHP process', async () => {
    behave = (socket) => socket.write(PAGE)
    const { visit } = siteWith()
    await (await visit('/x.php')).text()
    const [socket] = open
    if (socket) await new Promise((resolve) => socket.once('close', resolve))
    expect(open.size).toBe(0)
  })
})
