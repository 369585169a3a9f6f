import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAX_NAMES_BYTES, readHomeList } from '#adapters/node/agent/moves/home-list.ts'
import { AppError } from '#handlers/errors.ts'
import { boundedBytes } from '#adapters/node/agent/foreign-archives/bounded-bytes.ts'
import type { MoveReceipt, MovesPort } from '#handlers/ports/host/accounts/moves.ts'
import { receiptOf, relay } from '#handlers/services/moves/relay.ts'

const HOUR_MS = 3_600_000

it('what comes packed is let in no further than there is room', async () => {
  let taken = 0
  const target = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken += chunk.length
      done()
    },
  })
  const packed = Readable.from([gzipSync(Buffer.alloc(16 * 2 ** 20))])
  const bound = boundedBytes(2 ** 20, () => new AppError(413, 'too large'))
  await expect(pipeline(packed, createGunzip(), bound, target)).rejects.toMatchObject({
    ...{ status: 413, message: 'too large' },
  })
  expect(taken).toBeLessThanOrEqual(2 ** 20)
})

it('names of a list fill no memory', async () => {
  let read = 0
  const long = `f 644 1 1 1 ${'x'.repeat(4000)}\0\0`
  const piece = Buffer.from(long.repeat(256))
  const endless = async function* (): AsyncGenerator<Buffer> {
    for (;;) {
      read += piece.length
      yield piece
    }
  }
  const all = async (): Promise<void> => {
    for await (const entry of readHomeList(endless())) expect(entry.type).toBe('file')
  }
  await expect(all()).rejects.toMatchObject({ status: 413 })
  expect(read).toBeLessThan(MAX_NAMES_BYTES + 2 * piece.length)
})

describe('a host that does not go on', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  const endOf = (answers: Partial<MovesPort>) => ({
    ...{ streamId: 'move', moves: answers as MovesPort },
  })
  const given = async (work: Promise<unknown>, ms: number): Promise<unknown> => {
    const failed = work.then(
      () => null,
      (error: unknown) => error,
    )
    await vi.advanceTimersByTimeAsync(ms)
    return failed
  }

  it('is asked once a second, for an hour', async () => {
    let asked = 0
    const silent = endOf({
      read() {
        asked += 1
        return Promise.resolve(null)
      },
    })
    expect(await given(relay(silent, endOf({})), HOUR_MS + 5000)).toMatchObject({ status: 503 })
    expect(asked).toBeLessThan(3700)
  })
  it('keeps no account closed by saying that it is not done', async () => {
    const receipt = (): Promise<MoveReceipt | null> => Promise.resolve(null)
    expect(await given(receiptOf(endOf({ receipt })), 12 * HOUR_MS + 5000)).toMatchObject({
      status: 503,
    })
  })
  it('gives no pieces without anything in them', async () => {
    const empty = endOf({ read: () => Promise.resolve({ content: '', ended: false }) })
    expect(await given(relay(empty, endOf({})), 0)).toMatchObject({ status: 409 })
  })
})
