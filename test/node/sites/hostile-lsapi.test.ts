import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { PACKET } from '#adapters/node/php-backends/lsapi/packets.ts'
import { packet, responseHead } from '#test/unit/lsapi/packet.ts'
import { backend, hostilePhp, hostileSite } from './hostile-php.ts'

/** A process of the tenant may sit where lsphp should: it must not do more harm than a broken script. */
hostilePhp('once')

const HEAD = responseHead(200, ['Content-Type: text/plain'])
const body = (text: string): Buffer => packet(PACKET.responseBody, Buffer.from(text))
const END = packet(PACKET.responseEnd)
const PAGE = Buffer.concat([HEAD, body('fine'), END])

describe('an LSAPI backend that misbehaves', () => {
  it('becomes a 502 when it gives no answer', async () => {
    const endless = responseHead(200, ['a: b'])
    endless.writeInt32LE(2 ** 31 - 1, 4)
    const counted = responseHead(200, ['a: b'])
    counted.writeInt32LE(1000, 8)
    const cases: (Buffer | 'close')[] = [
      'close',
      Buffer.from('HTTP/1.1 200 OK\r\n\r\nhello'),
      END,
      body('no head'),
      endless,
      counted,
      responseHead(101, []),
      responseHead(200, ['no header']),
      responseHead(200, ['X: a\x01\0b']),
      packet(PACKET.internalError),
      packet(PACKET.connectionClose),
      packet(PACKET.requestReceived, Buffer.from('x')),
      packet(77),
      Buffer.concat([HEAD.subarray(0, 4), Buffer.from([0xff, 0xff, 0xff, 0xff])]),
      packet(PACKET.responseHead),
    ]
    for (const [index, act] of cases.entries()) {
      backend.behave = (socket) => void (act === 'close' ? socket.end() : socket.write(act))
      expect([index, (await hostileSite('lsapi').visit('/x.php')).status]).toEqual([index, 502])
    }
  })

  it('breaks only its own answer', async () => {
    const cases = [
      (socket: Socket) => void socket.end(Buffer.concat([HEAD, body('part')])),
      (socket: Socket) => void socket.write(Buffer.concat([HEAD, body('part'), HEAD])),
      (socket: Socket) =>
        void socket.write(Buffer.concat([HEAD, body('a'), Buffer.from('garbage!')])),
      (socket: Socket) => void socket.end(Buffer.concat([HEAD, body('part').subarray(0, 10)])),
    ]
    for (const act of cases) {
      backend.behave = act
      await expect((await hostileSite('lsapi').visit('/x.php')).text()).rejects.toThrow()
    }
    backend.behave = (socket) => void socket.write(Buffer.concat([HEAD, body('part')]))
    await expect(
      (await hostileSite('lsapi', { timeoutMs: 150 }).visit('/x.php')).text(),
    ).rejects.toThrow('150 ms')
    // Notices are no sign of life.
    backend.behave = (socket) => {
      const timer = setInterval(() => socket.write(packet(PACKET.requestReceived)), 20)
      socket.on('close', () => clearInterval(timer))
    }
    expect((await hostileSite('lsapi', { timeoutMs: 150 }).visit('/x.php')).status).toBe(504)
  })

  it('holds back a backend that is faster than the reader', async () => {
    let written = 0
    backend.behave = (socket) => {
      socket.write(HEAD)
      const more = (): void => {
        while (!socket.destroyed && written < 200e6) {
          written += 60_000
          if (!socket.write(body('x'.repeat(60_000)))) break
        }
      }
      socket.on('drain', more)
      more()
    }
    const reader = (await hostileSite('lsapi').visit('/x.php')).body?.getReader()
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(written).toBeLessThan(4e6)
    await reader?.cancel()
  })
})

describe('connections to lsphp', () => {
  it('carry one request each, and no more are open than allowed', async () => {
    backend.behave = (socket) => void socket.write(PAGE)
    const { visit } = hostileSite('lsapi')
    for (let round = 0; round < 3; round++)
      expect(await (await visit('/x.php')).text()).toBe('fine')
    expect(backend.connections).toBe(3)
    let most = 0
    backend.behave = (socket) => {
      most = Math.max(most, backend.open.size)
      setImmediate(() => socket.write(PAGE))
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => visit('/x.php')))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200))
    expect(most).toBeLessThanOrEqual(3)
  })

  it('deliver an answer that came before the body was sent', async () => {
    backend.behave = (socket) => {
      socket.pause()
      socket.write(PAGE, () => socket.destroy())
    }
    for (let round = 0; round < 10; round++) {
      const answer = await hostileSite('lsapi').visit('/x.php', {
        method: 'PUT',
        body: 'x'.repeat(900_000),
      })
      expect([answer.status, await answer.text()]).toEqual([200, 'fine'])
    }
  })
})
