import { describe, expect, it } from 'vitest'
import { retryDelayMs } from '#edge-cache/warm/retry-delay.ts'
import { createRig, FAILED, page, pages, SETTINGS, settle } from './warm-rig.ts'

describe('concurrency', () => {
  it.each([1, 3])('%i at a time, in the order of submission', async (maxConcurrency) => {
    const { queue, begun, end } = createRig({ maxConcurrency })
    expect(queue.submit(pages(4), 'manual')).toEqual({ queued: 4, duplicates: 0, overflow: [] })
    await settle()
    expect(begun).toEqual(['/0', '/1', '/2'].slice(0, maxConcurrency))
    await end('/0')
    expect(begun).toHaveLength(maxConcurrency + 1)
    expect(queue.stats()).toMatchObject({ running: maxConcurrency, done: 1 })
  })

  it('hosts in turns: many pages of one keep no other waiting for all of them', async () => {
    const { queue, begun, end } = createRig({ maxConcurrency: 1 })
    queue.submit(pages(3), 'manual')
    await settle()
    const others = ['/b0', '/b1'].map((path) => ({ ...page(path), host: 'b.test' }))
    queue.submit(others, 'manual')
    for (const path of ['/0', '/1', '/b0', '/2', '/b1']) {
      expect(begun.at(-1)).toBe(path)
      await end(path)
    }
    expect(queue.stats()).toMatchObject({ size: 0, done: 5 })
  })

  it('a timed out attempt keeps its place until it has really ended', async () => {
    const { queue, begun, time, end } = createRig({ maxConcurrency: 1, maxRetries: 0 })
    queue.submit(pages(2), 'manual')
    await time.pass(1000)
    expect(queue.stats()).toMatchObject({ failed: 1, running: 1 })
    expect(begun).toEqual(['/0'])
    await end('/0')
    expect(begun).toEqual(['/0', '/1'])
  })

  it('a higher limit takes effect at once', async () => {
    const { queue, begun } = createRig({ maxConcurrency: 1 })
    queue.submit(pages(3), 'manual')
    await settle()
    queue.configure({ ...SETTINGS, maxConcurrency: 3 })
    await settle()
    expect(begun).toHaveLength(3)
  })

  it('other work takes a place too, and goes first', async () => {
    const { queue, begun, end } = createRig({ maxConcurrency: 1 })
    queue.submit(pages(2), 'manual')
    await settle()
    const order: string[] = []
    const work = queue.run(() => {
      order.push(...begun, 'work')
      return Promise.resolve(7)
    })
    await settle()
    expect(order).toEqual([])
    await end('/0')
    expect([await work, order]).toEqual([7, ['/0', 'work']])
    await settle()
    expect(begun).toEqual(['/0', '/1'])
  })
})

describe('the timeout', () => {
  it.each([50, 2000])('is %i ms', async (requestTimeoutMs) => {
    const { queue, time } = createRig({ requestTimeoutMs, maxRetries: 0 })
    queue.submit([page('/a')], 'manual')
    await time.pass(requestTimeoutMs - 1)
    expect(queue.stats().failed).toBe(0)
    await time.pass(1)
    expect(queue.states()[0]).toMatchObject({
      state: 'failed',
      reason: `no answer within ${requestTimeoutMs} ms`,
    })
  })
})

describe('retries', () => {
  it.each([0, 1, 3])('%i after the first attempt', async (maxRetries) => {
    const { queue, time, begun, end } = createRig({ maxRetries })
    queue.submit([page('/a')], 'manual')
    await settle()
    for (let i = 0; i <= maxRetries + 1; i++) {
      await end('/a', FAILED)
      await time.pass(60_000)
    }
    expect(begun).toHaveLength(maxRetries + 1)
    expect(queue.stats()).toMatchObject({ retried: maxRetries, failed: 1, size: 0, running: 0 })
    expect(queue.states()[0]).toMatchObject({ state: 'failed', attempts: maxRetries + 1 })
  })

  it.each([100, 700])('after %i ms, doubled each time', async (retryBackoffMs) => {
    const { queue, time, begun, end } = createRig({ retryBackoffMs })
    queue.submit([page('/a')], 'manual')
    await settle()
    for (const [attempt, factor] of [
      [1, 1],
      [2, 2],
    ] as const) {
      await end('/a', FAILED)
      expect(queue.states()[0]?.state).toBe('retrying')
      expect(time.timers()).toEqual([retryBackoffMs * factor])
      await time.pass(retryBackoffMs * factor - 1)
      expect(begun).toHaveLength(attempt)
      await time.pass(1)
      expect(begun).toHaveLength(attempt + 1)
    }
  })

  it('spread by up to a half, and never beyond minutes', () => {
    expect(retryDelayMs(100, 1, () => 0)).toBe(100)
    expect(retryDelayMs(100, 3, () => 1)).toBe(600)
    expect(retryDelayMs(3_600_000, 100, () => 1)).toBe(450_000)
    expect(retryDelayMs(0, 5, () => 1)).toBe(0)
  })

  it('not where another attempt would not help', async () => {
    const { queue, end, time } = createRig()
    queue.submit(pages(2), 'manual')
    await settle()
    await end('/0', { kind: 'failed', reason: 'answered 404', retry: false })
    await end('/1', { kind: 'skipped', reason: 'not cacheable: set-cookie' })
    await time.pass(60_000)
    expect(queue.stats()).toMatchObject({ failed: 1, skipped: 1, retried: 0 })
  })

  it('also when the attempt broke', async () => {
    const { queue, end, time } = createRig({ maxRetries: 1 })
    queue.submit([page('/a')], 'manual')
    await settle()
    await end('/a', FAILED)
    await time.pass(100)
    await end('/a')
    expect(queue.states()[0]).toMatchObject({ state: 'done', attempts: 2, reason: null })
  })
})

describe('capacity', () => {
  it.each([1, 3])('%i wait, the rest is handed back', async (maxQueueSize) => {
    const { queue } = createRig({ maxQueueSize, maxConcurrency: 1 })
    const first = queue.submit(pages(5), 'manual')
    expect(first.queued).toBe(maxQueueSize)
    expect(first.overflow).toEqual(pages(5).slice(maxQueueSize))
    await settle()
    // One of them runs now and waits no more.
    expect(queue.submit([page('/x')], 'manual').queued).toBe(1)
    expect(queue.stats()).toMatchObject({ size: maxQueueSize, rejected: 5 - maxQueueSize })
  })

  it('whoever may take a share of the room leaves some to others, however often', () => {
    const { queue } = createRig({ maxQueueSize: 16, maxConcurrency: 1 })
    const own = (n: number) => pages(20).map(({ path }) => page(`/${n}${path}`))
    expect([0, 1, 2].map((n) => queue.submit(own(n), 'site', 0.5).queued)).toEqual([8, 4, 2])
    expect(queue.submit([page('/other')], 'manual').queued).toBe(1)
  })

  it('what waits for its repetition counts', async () => {
    const { queue, end } = createRig({ maxQueueSize: 1 })
    queue.submit([page('/a')], 'manual')
    await settle()
    await end('/a', FAILED)
    expect(queue.submit([page('/b')], 'manual').overflow).toHaveLength(1)
  })

  it('room is told when there is enough', async () => {
    const { queue, end } = createRig({ maxQueueSize: 3, maxConcurrency: 1 })
    queue.submit(pages(3), 'manual')
    await settle()
    const told: number[] = []
    void queue.roomFor(2).then(() => told.push(2))
    void queue.roomFor(1000).then(() => told.push(1000))
    await settle()
    expect(told).toEqual([])
    await end('/0')
    expect(told).toEqual([2])
    await end('/1')
    expect(told).toEqual([2, 1000])
  })
})

describe('duplicates', () => {
  it.each([1000, 5000])('within %i ms', async (dedupeWindowMs) => {
    const { queue, time, end } = createRig({ dedupeWindowMs })
    const ask = () => queue.submit([page('/a')], 'manual')
    ask()
    await settle()
    await end('/a')
    await time.pass(dedupeWindowMs - 1)
    expect(ask()).toMatchObject({ queued: 0, duplicates: 1 })
    await time.pass(1)
    expect(ask()).toMatchObject({ queued: 1, duplicates: 0 })
    expect(queue.stats().deduplicated).toBe(1)
  })

  it('under way, also without a window; the same path elsewhere is another page', async () => {
    const { queue } = createRig({ dedupeWindowMs: 0 })
    queue.submit([page('/a')], 'manual')
    await settle()
    const others = [page('/a'), { ...page('/a'), host: 'b.test' }, { ...page('/a'), secure: true }]
    expect(queue.submit(others, 'manual')).toMatchObject({ queued: 2, duplicates: 1 })
  })

  it('what failed or was purged may be asked for again at once', async () => {
    const { queue, end } = createRig({ maxRetries: 0 })
    const ask = (path: string) => queue.submit([page(path)], 'manual').queued
    ask('/bad')
    ask('/good')
    await settle()
    await end('/bad', FAILED)
    await end('/good')
    expect([ask('/bad'), ask('/good')]).toEqual([1, 0])
    queue.forgetWarmed()
    expect(ask('/good')).toBe(1)
  })
})

describe('load', () => {
  it('holds everything back and is looked at again', async () => {
    const { queue, begun, time, load } = createRig()
    load.now = true
    queue.submit(pages(2), 'manual')
    await time.pass(2000)
    expect([begun, queue.stats().paused]).toEqual([[], true])
    load.now = false
    await time.pass(250)
    expect([begun.length, queue.stats().paused]).toEqual([2, false])
  })
})

describe('states', () => {
  it('the last ones are kept, with what asked', async () => {
    const { queue } = createRig({ maxConcurrency: 1 })
    queue.submit(pages(20), 'after deploy')
    await settle()
    const states = queue.states()
    expect(states).toHaveLength(5)
    expect(states.at(-1)).toMatchObject({
      target: page('/0'),
      state: 'running',
      trigger: 'after deploy',
    })
  })

  it('a stopped queue begins nothing and keeps nobody waiting', async () => {
    const { queue, begun, end, time } = createRig({ maxConcurrency: 1 })
    queue.submit(pages(3), 'manual')
    await settle()
    const room = queue.roomFor(1000)
    const work = queue.run(() => Promise.resolve(1))
    queue.stop()
    await expect(work).rejects.toThrow('stopped')
    await room
    await end('/0', FAILED)
    await time.pass(60_000)
    expect(begun).toEqual(['/0'])
    expect(time.timers()).toEqual([])
    expect(queue.submit([page('/z')], 'manual').overflow).toHaveLength(1)
  })
})
