import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { encodeHeader, RECORD } from '#adapters/node/php-backends/fastcgi/records.ts'
import { backend, hostilePhp, hostileSite } from './hostile-php.ts'

/** A process of the tenant may sit where PHP should: it must not do more harm than a broken script. */
hostilePhp()

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
      backend.behave = act
      expect([index, (await hostileSite('fastcgi', { idleMs: 5 }).visit('/x.php')).status]).toEqual(
        [index, 502],
      )
    }
    backend.behave = (socket) => socket.write(end(0, 2))
    expect((await hostileSite('fastcgi', { idleMs: 5 }).visit('/x.php')).status).toBe(503)
  })

  it('breaks only its own answer', async () => {
    const head = out('Content-Type: text/plain\r\n\r\npart')
    const cases: ((socket: Socket) => void)[] = [
      (socket) => socket.end(head),
      (socket) => socket.write(Buffer.concat([head, Buffer.from('garbage, no record')])),
      (socket) => socket.write(Buffer.concat([head, end(3)])),
    ]
    for (const act of cases) {
      backend.behave = act
      await expect(
        (await hostileSite('fastcgi', { idleMs: 5 }).visit('/x.php')).text(),
      ).rejects.toThrow()
    }
    backend.behave = (socket) => socket.write(head)
    await expect(
      (await hostileSite('fastcgi', { timeoutMs: 150 }).visit('/x.php')).text(),
    ).rejects.toThrow('150 ms')
  })

  it('is not listened to for ever where nothing is wanted of it', async () => {
    const closed = new Promise<void>((resolve) => {
      backend.behave = (socket) => {
        socket.on('close', () => resolve())
        const more = (): void => {
          while (!socket.destroyed && socket.write(out('x'.repeat(60_000))));
        }
        socket.write(out('Content-Type: text/plain\r\n\r\n'))
        socket.on('drain', more)
        more()
      }
    })
    expect(
      (await hostileSite('fastcgi', { idleMs: 5 }).visit('/x.php', { method: 'HEAD' })).status,
    ).toBe(200)
    await closed
  })

  it('holds back a backend that is faster than the reader', async () => {
    let written = 0
    backend.behave = (socket) => {
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
    const response = await hostileSite('fastcgi', { idleMs: 5 }).visit('/x.php')
    const reader = response.body!.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(written).toBeLessThan(4e6)
    await reader.cancel()
  })
})

describe('kept connections', () => {
  it('carry one request after another', async () => {
    backend.behave = (socket) => socket.write(PAGE)
    const { visit } = hostileSite('fastcgi', { idleMs: 1000 })
    for (let round = 0; round < 5; round++) {
      expect(await (await visit('/x.php')).text()).toBe('fine')
    }
    expect(backend.connections).toBe(1)
  })

  it('are replaced when they prove closed, but nothing is sent twice that changes things', async () => {
    let posts = 0
    backend.behave = (socket, request) => {
      if (request === 1) socket.write(PAGE)
      else socket.destroy()
    }
    const { visit } = hostileSite('fastcgi', { idleMs: 1000 })
    for (let round = 0; round < 4; round++) {
      expect(await (await visit('/x.php')).text()).toBe('fine')
    }
    backend.behave = (socket) => {
      posts += 1
      socket.destroy()
    }
    expect((await visit('/x.php', { method: 'POST', body: 'a=1' })).status).toBe(502)
    expect(posts).toBe(1)
  })

  it('are let go of soon, because each occupies a PHP process', async () => {
    backend.behave = (socket) => socket.write(PAGE)
    const { visit } = hostileSite('fastcgi', { idleMs: 5 })
    await (await visit('/x.php')).text()
    const [socket] = backend.open
    if (socket) await new Promise((resolve) => socket.once('close', resolve))
    expect(backend.open.size).toBe(0)
  })
})
