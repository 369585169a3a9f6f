import { openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileStream } from '#adapters/node/web-server/files/file-stream.ts'
import { pieceBudget } from '#adapters/node/web-server/files/piece-budget.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { answerOf, H2Client } from '../support/h2-client.ts'
import { startH2Engine, type H2Engine } from '../support/h2-engine.ts'
import { eventually } from '../support/web-process.ts'

const SIZE = 3_000_000
let server: H2Engine
let client: H2Client
/** Numbers, each file's with another letter between them. */
const contentOf = (name: string): string =>
  Array.from({ length: SIZE / 8 }, (_, i) => name + String(i).padStart(7, '0')).join('')
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory)
    } catch {
      return false
    }
  }).length

beforeAll(async () => {
  makeDirectory()
  for (const name of ['a', 'b', 'c']) writeFileSync(join(directory, name), contentOf(name))
  server = await startH2Engine((request) => {
    const { pathname, searchParams } = new URL(request.url)
    const start = Number(searchParams.get('from') ?? 0)
    const fd = openSync(join(directory, pathname), 'r')
    const headers = { 'content-length': String(SIZE - start) }
    const body = fileStream(fd, { start, end: SIZE - 1 })
    return Promise.resolve(new Response(body, { headers }))
  })
  client = await H2Client.open(server.port, 'a.test')
})
afterAll(async () => {
  client.close()
  await server.close()
})

describe('large files over HTTP/2', () => {
  it('come whole and in part beside others that are broken off in the middle', async () => {
    const breakOff = async (): Promise<void> => {
      const stream = client.begin('/c')
      const done = answerOf(stream)
      // Behind the first piece, whose memory is not used again.
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > 500_000) stream.close(8)
      })
      expect((await done).body.length).toBeLessThan(SIZE)
    }
    for (let round = 0; round < 3; round++) {
      const [a, b, part] = await Promise.all([
        ...['/a', '/b', '/a?from=1000000'].map((path) => client.get(path)),
        ...Array.from({ length: 4 }, breakOff),
      ])
      expect([a?.status, a?.code, a?.body === contentOf('a')]).toEqual([200, 0, true])
      expect(b?.body === contentOf('b')).toBe(true)
      expect(part?.body === contentOf('a').slice(1_000_000)).toBe(true)
    }
    await eventually('all is given back', () => pieceBudget.heldBytes() === 0 && openFiles() === 0)
  })

  it('that became shorter than promised are reset, and give back what they hold', async () => {
    writeFileSync(join(directory, 'short'), contentOf('s').slice(0, SIZE / 2))
    const { code, body } = await client.get('/short')
    expect(code).not.toBe(0)
    expect(body.length).toBeLessThan(SIZE)
    await eventually('all is given back', () => pieceBudget.heldBytes() === 0 && openFiles() === 0)
  })

  it('give back what they hold when the connection is cut', async () => {
    const other = await H2Client.open(server.port, 'a.test')
    const streams = ['/a', '/b'].map((path) => other.begin(path))
    await Promise.all(
      streams.map((stream) => new Promise((resolve) => stream.once('data', resolve))),
    )
    expect(openFiles()).toBeGreaterThan(0)
    for (const stream of streams) stream.pause()
    other.close()
    await eventually('all is given back', () => pieceBudget.heldBytes() === 0 && openFiles() === 0)
  })
})
