import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type {
  HeartbeatRecord,
  MarkedRequest,
} from '#adapters/node/web-server/watchdog/heartbeat-record.ts'
import { StallLedger, type HeldSite } from '#adapters/node/web-server/watchdog/stall-ledger.ts'
import {
  LOOK_MS,
  WorkerWatch,
  type WatchedWorker,
} from '#adapters/node/web-server/watchdog/worker-watch.ts'

const LOG = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
const REQUEST: MarkedRequest = { part: 'request', site: 'a.test', method: 'GET', target: '/x?y' }

class FakeWorker implements WatchedWorker {
  readonly pid = 1
  state: WatchedWorker['state'] = 'serving'
  record: HeartbeatRecord = { beat: 1, request: null }
  killed = 0
  heartbeat(): HeartbeatRecord {
    return this.record
  }
  kill(): void {
    this.killed++
  }
}

const setUp = (limitMs = 5000) => {
  const worker = new FakeWorker()
  const told: HeldSite[][] = []
  const steps: string[] = []
  const ledger = new StallLedger({
    nowMs: () => Date.now(),
    tell: (held) => told.push(structuredClone(held)),
    log: LOG,
  })
  let started = (): void => undefined
  const watch = new WorkerWatch<FakeWorker>({
    workers: () => [worker],
    limitMs: () => limitMs,
    succeed: () => {
      steps.push('succeed')
      return new Promise((resolve) => (started = resolve))
    },
    retire: () => void steps.push('retire'),
    noted: (silence) => ledger.note(silence),
    nowMs: () => Date.now(),
    log: LOG,
  })
  return { worker, told, steps, ledger, watch, started: () => started() }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a silent worker is told of after two seconds, followed, and ended after the limit', async () => {
  const { worker, steps, ledger, watch, started } = setUp()
  worker.record = { beat: 1, request: REQUEST }
  await vi.advanceTimersByTimeAsync(2000)
  expect(ledger.list()).toEqual([])
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  expect(ledger.list()).toMatchObject([{ site: 'a.test', target: '/x?y', ended: false }])
  expect(steps).toEqual([])
  await vi.advanceTimersByTimeAsync(1000)
  expect(steps).toEqual(['succeed'])
  started()
  await vi.advanceTimersByTimeAsync(1500)
  expect(worker.killed).toBe(0)
  await vi.advanceTimersByTimeAsync(500)
  expect(worker.killed).toBeGreaterThan(0)
  watch.forget(worker)
  expect(ledger.list()).toMatchObject([{ ended: true }])
  watch.stop()
})

test('one that answers again goes on, or makes room for the one that was started', async () => {
  const { worker, steps, ledger, watch, started } = setUp()
  await vi.advanceTimersByTimeAsync(2500)
  worker.record = { beat: 2, request: null }
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  expect(ledger.list()).toMatchObject([{ ended: false, site: null }])
  await vi.advanceTimersByTimeAsync(3500)
  worker.record = { beat: 3, request: null }
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  expect(steps).toEqual(['succeed'])
  started()
  await vi.advanceTimersByTimeAsync(0)
  expect(steps).toEqual(['succeed', 'retire'])
  expect(worker.killed).toBe(0)
  watch.stop()
})

test('a primary that got no processor counts no silence', async () => {
  const { worker, ledger, watch } = setUp()
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  // An hour passes and is one look.
  vi.setSystemTime(Date.now() + 3_600_000)
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  expect(ledger.list()).toEqual([])
  expect(worker.killed).toBe(0)
  watch.stop()
})

test('one that starts is left alone, and one that drains has no successor', async () => {
  const { worker, steps, watch } = setUp()
  worker.state = 'starting'
  await vi.advanceTimersByTimeAsync(60_000)
  expect(worker.killed).toBe(0)
  worker.state = 'draining'
  await vi.advanceTimersByTimeAsync(6000)
  expect(worker.killed).toBeGreaterThan(0)
  expect(steps).toEqual([])
  watch.stop()
})

test('the second stall of a site within ten minutes holds the path or the rules until they change', () => {
  const { ledger, told, watch } = setUp()
  watch.stop()
  const stall = (request: MarkedRequest | null): void =>
    ledger.note({ sinceMs: Date.now(), lengthMs: 2000, request, ended: false })
  stall(REQUEST)
  stall({ ...REQUEST, site: 'b.test' })
  stall(null)
  vi.advanceTimersByTime(10 * 60_000 + 1)
  stall({ ...REQUEST, target: '/long-after' })
  expect(told).toEqual([])
  stall({ ...REQUEST, target: '/again?q' })
  expect(told).toEqual([[{ site: 'a.test', rules: false, paths: ['/again'] }]])
  stall({ ...REQUEST, part: 'rules' })
  expect(ledger.held()).toEqual([{ site: 'a.test', rules: true, paths: ['/again'] }])
  ledger.rulesChanged('a.test')
  expect(ledger.held()).toEqual([{ site: 'a.test', rules: false, paths: ['/again'] }])
  ledger.sitesChanged(['b.test'])
  expect(told).toHaveLength(3)
  ledger.sitesChanged(['a.test'])
  expect(told.at(-1)).toEqual([])
  expect(ledger.list()).toHaveLength(6)
  vi.advanceTimersByTime(24 * 3_600_000)
  expect(ledger.list()).toEqual([])
})
