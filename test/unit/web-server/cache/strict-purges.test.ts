import { describe, expect, it, vi, beforeEach, afterEach } from 'vitest'
import type { FrontReport } from '#edge-cache/index.ts'
import {
  createStrictPurges,
  LEASE_MS,
} from '#adapters/node/web-server/cache/redis/strict-purges.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** One web server, and what the others report; time is that of the timers. */
const makeStrict = () => {
  const reports = new Map<string, FrontReport>()
  const leases: number[] = []
  const forgotten: string[] = []
  const begunMs = Date.now()
  const nowMs = (): number => Date.now() - begunMs
  const strict = createStrictPurges({
    marks: {
      fronts: async () => [...reports.values()],
      forget: async (gone) => void forgotten.push(...gone.map(({ front }) => front)),
    },
    onLease: (untilMs) => leases.push(untilMs),
    nowMs,
  })
  const say = (front: string, sequence: number, count: number, epoch = 'one'): void =>
    void reports.set(front, { front, epoch, sequence, count })
  /** When the purge was answered, and null before. */
  const settle = (sequence: number): { atMs: number | null } => {
    const told: { atMs: number | null } = { atMs: null }
    void strict.settled('one', sequence).then(() => (told.atMs = nowMs()))
    return told
  }
  return { strict, say, settle, leases, forgotten, reports }
}

describe('purges that hold on every web server', () => {
  it('are answered at once where there is no other, or all have applied them', async () => {
    const { say, settle } = makeStrict()
    const alone = settle(1)
    await vi.advanceTimersByTimeAsync(0)
    expect(alone.atMs).toBe(0)
    say('b', 2, 1)
    const both = settle(2)
    await vi.advanceTimersByTimeAsync(0)
    expect(both.atMs).toBe(0)
  })

  it('are answered when the last has applied them', async () => {
    const { say, settle, forgotten } = makeStrict()
    say('b', 4, 1)
    say('c', 5, 1)
    const told = settle(5)
    await vi.advanceTimersByTimeAsync(300)
    expect(told.atMs).toBeNull()
    say('b', 5, 2)
    await vi.advanceTimersByTimeAsync(25)
    expect(told.atMs).not.toBeNull()
    expect(forgotten).toEqual([])
  })

  it('wait for who lives and is behind until it must have stopped, and forget who says nothing', async () => {
    const { say, settle, forgotten } = makeStrict()
    say('slow', 4, 1)
    say('gone', 4, 1)
    say('of-before', 9, 1, 'another')
    const told = settle(5)
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    say('slow', 4, 2)
    say('of-before', 9, 2, 'another')
    expect(told.atMs).toBeNull()
    await vi.advanceTimersByTimeAsync(600)
    expect(told.atMs).toBeGreaterThanOrEqual(LEASE_MS + 500)
    expect(forgotten).toEqual(['gone'])
  })

  it('wait longer where another history of numbers has begun: others may not have heard of it', async () => {
    const { strict, settle } = makeStrict()
    strict.adopted()
    const told = settle(1)
    await vi.advanceTimersByTimeAsync(2900)
    expect(told.atMs).toBeNull()
    await vi.advanceTimersByTimeAsync(200)
    expect(told.atMs).toBeGreaterThanOrEqual(3000)
  })

  it('say a longer term to the workers some times a second, and count each report', () => {
    const { strict, leases } = makeStrict()
    for (let sentMs = 0; sentMs <= 1000; sentMs += 100) strict.answered(sentMs)
    expect(leases).toEqual([1000, 1200, 1400, 1600, 1800, 2000])
    expect(strict.untilMs).toBe(2000)
    const known = { epoch: 'one', sequence: 3 }
    const first = strict.report(known)
    expect(strict.report(known)).toEqual({ ...first, count: first.count + 1 })
  })

  it('are answered and leave no report where the web server ends', async () => {
    const { strict, say, settle, forgotten } = makeStrict()
    say('b', 0, 1)
    const { front } = strict.report({ epoch: 'one', sequence: 1 })
    const told = settle(1)
    strict.close()
    await vi.advanceTimersByTimeAsync(0)
    expect(told.atMs).toBe(0)
    expect(forgotten).toEqual([front])
  })
})
