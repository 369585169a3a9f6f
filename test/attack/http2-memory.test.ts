import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { fileStream } from '#adapters/node/web-server/files/file-stream.ts'
import {
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  FrameClient,
  HEADERS,
  pseudo,
  SETTINGS,
} from '#test/node/web-server/support/h2-frames.ts'
import { startH2Engine } from '#test/node/web-server/support/h2-engine.ts'
import { startStaticWeb } from '#test/node/web-server/support/static-web.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { childrenOf } from '#test/support/processes-of.ts'

const closers: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A connection with 128 streams that may get nothing. */
const openFull = async (port: number, host: string, path: string): Promise<FrameClient> => {
  const client = await FrameClient.open(port, host)
  closers.push(() => client.close())
  client.send(frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])))
  for (let n = 0; n < 128; n++)
    client.send(
      frame(HEADERS, END_STREAM | END_HEADERS, 1 + 2 * n, fields(pseudo(host, `${path}?${n}`))),
    )
  return client
}

describe('streams that are never read', () => {
  it('hold little memory, and nothing once their connections are gone', async () => {
    const web = await startStaticWeb()
    closers.push(() => web.remove())
    const rssBytes = (): number => {
      const sizes = childrenOf(web.pid).map(
        (pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
      )
      return sizes.reduce((sum, size) => sum + Number(size) * 1024, 0)
    }
    const status = async (): Promise<{ connections: number; requests: number }> =>
      (await web.control('GET', '/status')).body as { connections: number; requests: number }
    const before = rssBytes()
    const clients = await Promise.all(
      Array.from({ length: 10 }, () => openFull(web.sslPort, 'm.test', '/big.bin')),
    )
    await eventually('asked', async () => (await status()).requests >= 1280)
    // Where each held two pieces of 1 MB it was 2.5 GB.
    expect(rssBytes() - before).toBeLessThan(600 * 2 ** 20)
    for (const client of clients) client.close()
    await eventually('gone', async () => (await status()).connections === 0)
  })

  it('are few for each connection where many wait', async () => {
    let running = 0
    const server = await startH2Engine((request) => {
      running++
      return new Promise((resolve) =>
        request.signal.addEventListener('abort', () => {
          running--
          resolve(new Response(''))
        }),
      )
    })
    closers.push(() => server.close())
    for (let n = 0; n < 8; n++) await openFull(server.port, 'a.test', '/')
    await eventually('they run', () => running === 1024)
    const late = await openFull(server.port, 'a.test', '/')
    // Refused, so that they may be asked again (RFC 9113 8.7).
    expect(await late.end(255)).toBe(7)
    expect(running).toBe(1024 + 8)
    late.close()
    await eventually('room again', () => running === 1024)
  })
})

describe('a file that is sent', () => {
  it('goes in small pieces at first, in larger ones to who takes them, and whole', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'berth-pieces-'))
    closers.push(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'f')
    const bytes = Buffer.alloc(5_000_001, 'berth.')
    writeFileSync(file, bytes)
    const send = () => fileStream(openSync(file, 'r'), { start: 0, end: bytes.length - 1 })
    const sizes: number[] = []
    const parts: Uint8Array[] = []
    for await (const piece of send()) {
      sizes.push(piece.byteLength)
      parts.push(piece)
    }
    expect(Buffer.compare(Buffer.concat(parts), bytes)).toBe(0)
    expect(sizes[0]).toBe(65_536)
    expect(Math.max(...sizes)).toBe(2 ** 20)
    // So many unread that the worker's budget for large pieces is used up.
    const held = await Promise.all(
      Array.from({ length: 120 }, async () => {
        const reader = send().getReader()
        for (let n = 0; n < 5; n++) await reader.read()
        return reader
      }),
    )
    const small = send().getReader()
    for (let n = 0; n < 5; n++) expect((await small.read()).value?.byteLength).toBe(65_536)
    for (const reader of [...held, small]) await reader.cancel()
    const again: number[] = []
    for await (const piece of send()) again.push(piece.byteLength)
    expect(again).toEqual(sizes)
  })
})

describe('clients that leave in the middle of a TLS handshake', () => {
  it('leave nothing behind', async () => {
    const web = await startStaticWeb()
    closers.push(() => web.remove())
    const hello = await new Promise<Buffer>((resolve) => {
      const listener = createServer((socket) =>
        socket.once('data', (bytes) => {
          resolve(bytes)
          socket.destroy()
          listener.close()
        }),
      ).listen(0, '127.0.0.1', () => {
        const { port } = listener.address() as AddressInfo
        connectTls({ port, host: '127.0.0.1', servername: 'm.test' }).on('error', () => undefined)
      })
    })
    const descriptors = (): number => {
      return web.workers().reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0)
    }
    const before = descriptors()
    for (let n = 0; n < 300; n++) {
      const socket = connect(web.sslPort, '127.0.0.1')
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(n % 3 === 0 ? hello : hello.subarray(0, 5 + (n % 200)))
      socket.end()
    }
    // Long before the time for a handshake is up.
    await eventually('they are closed', async () => descriptors() <= before + 5)
  })
})
