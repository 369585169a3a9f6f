import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPhpOrigin } from '#adapters/node/php-backends/php-origin.ts'
import { encodeHeader, RECORD } from '#adapters/node/php-backends/fastcgi/records.ts'
import { PACKET } from '#adapters/node/php-backends/lsapi/packets.ts'
import { createSite, vhostOf } from '#test/contract/sites/sites-harness.ts'
import type { Site } from '#test/contract/sites/sites-harness.ts'
import { packet, responseHead } from '#test/unit/lsapi/packet.ts'
import { memoryFiles } from '#test/unit/sites/memory-site.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

const HEAD = 'Content-Type: text/plain\r\n\r\n'
const out = (text: string): Buffer =>
  Buffer.concat([encodeHeader(RECORD.stdout, text.length), Buffer.from(text)])
const PROTOCOLS = {
  fastcgi: {
    part: out(HEAD),
    page: Buffer.concat([out(`${HEAD}fine`), encodeHeader(RECORD.endRequest, 8), Buffer.alloc(8)]),
  },
  lsapi: {
    part: responseHead(200, ['Content-Type: text/plain']),
    page: Buffer.concat([
      responseHead(200, ['Content-Type: text/plain']),
      packet(PACKET.responseBody, Buffer.from('fine')),
      packet(PACKET.responseEnd),
    ]),
  },
}

/** An account can kill its own PHP at any moment: who asks next must not suffer where the request may be repeated. */
describe.each(['fastcgi', 'lsapi'] as const)('PHP over %s that was killed', (protocol) => {
  const { part, page } = PROTOCOLS[protocol]
  let server: Server
  let connections: number
  let asked: number
  /** What happens to the n-th connection, from 1. */
  let act: (socket: Socket, nth: number) => void

  beforeEach(async () => {
    makeDirectory()
    connections = 0
    asked = 0
    server = createServer({ pauseOnConnect: true }, (socket) => {
      socket.on('error', () => undefined)
      act(socket, ++connections)
    }).listen(join(directory, 'php.sock'))
    await new Promise((resolve) => server.once('listening', resolve))
  })
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve))
  })

  const site = (): Site =>
    createSite({
      vhosts: [vhostOf()],
      files: memoryFiles({ '/x.php': 'x' }),
      php: (log) =>
        createPhpOrigin({
          ensure: async () => {
            asked += 1
            return { socket: join(directory, 'php.sock'), uid: null, protocol }
          },
          log,
          requestTimeoutMs: 2000,
          maxConnectionsPerBackend: 2,
        }),
    })
  /** Ends it with the request unread, as the kernel does for a connection that a killed process held. */
  const reset = (socket: Socket): void => void setTimeout(() => socket.destroy(), 30)
  const answer = (socket: Socket): void => {
    socket.once('data', () => socket.end(page))
    socket.resume()
  }

  it('is asked for again, and the request repeated, once', async () => {
    act = (socket, nth) => (nth === 1 ? reset(socket) : answer(socket))
    const response = await site().visit('/x.php')
    expect([response.status, await response.text()]).toEqual([200, 'fine'])
    expect({ connections, asked }).toEqual({ connections: 2, asked: 2 })
  })

  it('is a 502 when it goes on', async () => {
    act = reset
    expect((await site().visit('/x.php')).status).toBe(502)
    expect(connections).toBe(3)
  })

  it('gets no form twice', async () => {
    act = reset
    expect((await site().visit('/x.php', { method: 'POST', body: 'a=1' })).status).toBe(502)
    expect((await site().visit('/x.php', { method: 'DELETE' })).status).toBe(502)
    expect(connections).toBe(2)
  })

  it('gets no request twice of which it said something', async () => {
    act = (socket) => {
      socket.write(part)
      reset(socket)
    }
    const response = await site().visit('/x.php')
    await expect(response.text()).rejects.toThrow()
    expect(connections).toBe(1)
  })
})
