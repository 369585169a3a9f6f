import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BackendConnection } from '#adapters/node/php-backends/wire/backend-connection.ts'
import { createChildWaker } from '#adapters/node/php-backends/child-waker.ts'
import { connectionBounds } from '#adapters/node/php-backends/connection-bounds.ts'
import { createConnectionPool } from '#adapters/node/php-backends/connection-pool.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** As much of a connection as its keepers look at. */
class FakeConnection {
  heard = false
  alive = true
  reusable = true
  onClose = (): void => undefined
  destroy(): void {
    if (!this.alive) return
    this.alive = false
    this.reusable = false
    this.onClose()
  }
}
const asConnection = (fake: FakeConnection) => fake as unknown as BackendConnection

describe('connections of a worker to PHP', () => {
  it.each([
    [10, 1, { limit: 10, share: 10 }],
    [10, 2, { limit: 10, share: 5 }],
    [10, 16, { limit: 10, share: 1 }],
    [10, 64, { limit: 4, share: 1 }],
    [1000, 2, { limit: 500, share: 500 }],
    [1, 4, { limit: 1, share: 1 }],
  ])('%i processes, %i workers: %j', (children, workers, bounds) => {
    expect(connectionBounds(children, workers)).toEqual(bounds)
  })

  it('end after a moment beyond the share, so that PHP accepts who waits', async () => {
    const opened: FakeConnection[] = []
    const pool = createConnectionPool({
      connect: () => {
        const fake = new FakeConnection()
        opened.push(fake)
        return Promise.resolve(asConnection(fake))
      },
      ...{ maxConnections: 2, share: 1, queueTimeoutMs: 1000, maxWaiting: 10, idleMs: 5 },
    })
    const options = { fresh: false, signal: new AbortController().signal }
    const first = await pool.acquire(options)
    await pool.acquire(options)
    const third = pool.acquire(options)
    pool.release(first)
    expect(await third).toBe(first)
    const fourth = pool.acquire(options)
    vi.advanceTimersByTime(60)
    pool.release(first)
    expect(await fourth).not.toBe(first)
    expect(opened.map(({ alive }) => alive)).toEqual([false, true, true])
    // Within the share it goes on and on.
    opened[1]?.destroy()
    vi.advanceTimersByTime(60)
    const last = asConnection(opened[2] as FakeConnection)
    pool.release(last)
    expect(pool.takeFree()).toBe(last)
  })
})

describe('waking PHP', () => {
  it('knocks for those that are silent, one by one, and not for ever', () => {
    let wakes = 0
    const waker = createChildWaker(() => wakes++)
    const fakes = Array.from({ length: 6 }, () => new FakeConnection())
    for (const fake of fakes) waker.watch(asConnection(fake))
    vi.advanceTimersByTime(15)
    expect(wakes).toBe(0)
    vi.advanceTimersByTime(15)
    expect(wakes).toBe(1)
    vi.advanceTimersByTime(15)
    expect(wakes).toBe(2)
    // Three for each, at most one at a time.
    vi.advanceTimersByTime(60_000)
    expect(wakes).toBe(18)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves alone what has answered or is gone, and waits longer for a single one', () => {
    let wakes = 0
    const waker = createChildWaker(() => wakes++)
    const [one, other, third] = [new FakeConnection(), new FakeConnection(), new FakeConnection()]
    for (const fake of [one, other, third]) waker.watch(asConnection(fake))
    one.heard = true
    other.alive = false
    vi.advanceTimersByTime(140)
    expect(wakes).toBe(0)
    vi.advanceTimersByTime(30)
    expect(wakes).toBe(1)
    third.heard = true
    vi.advanceTimersByTime(60_000)
    expect(wakes).toBe(1)
  })
})
