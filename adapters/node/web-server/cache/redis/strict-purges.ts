import { randomBytes } from 'node:crypto'
import type { FrontReport, RedisMarks } from '#edge-cache/index.ts'
import { monotonicMs } from './monotonic-ms.ts'

/**
 * What makes an acknowledged purge hold on every web server over one Redis. Each shows what it
 * has stored only for a second after it last asked Redis whether it knows all purges, and reports
 * there what it has applied; who purges waits until all have, or until those that did not must
 * have stopped. No clock of a server counts, only time that passed here.
 */
export interface StrictPurges {
  /** What goes with the next glance. */
  report(known: { epoch: string; sequence: number }): FrontReport
  /** Redis answered a glance that was sent at `sentMs`, and all purges that it knew were in force here. */
  answered(sentMs: number): void
  /** Until when pages may be shown, milliseconds of CLOCK_MONOTONIC. */
  readonly untilMs: number
  /** Another history of numbers begins: who follows the former has to stop first. */
  adopted(): void
  /** Resolves when no web server shows what the purge of this number hits; within two seconds but for new histories. */
  settled(epoch: string, sequence: number): Promise<void>
  /** This web server ends: nobody need wait for it. */
  close(): void
}

/** How long stored pages may be shown after a glance was sent. */
export const LEASE_MS = 1000
/** Clocks of different machines do not run equally fast, and answers take their time. */
const SLACK_MS = 500
/** Who is cut off together with a former primary of Redis is answered by it for so long at the most. */
const YOUNG_MS = 3000
const POLL_MS = 25
/** The workers are told of a longer term this often. */
const TELL_MS = 200

interface Waiter {
  epoch: string
  sequence: number
  notBeforeMs: number
  endMs: number
  /** Who was behind at the first look. */
  first: readonly FrontReport[] | null
  resolve(): void
}

export const createStrictPurges = (deps: {
  marks: Pick<RedisMarks, 'fronts' | 'forget'>
  /** Tells all workers until when they may show pages. */
  onLease(untilMs: number): void
  nowMs?: () => number
}): StrictPurges => {
  const { marks } = deps
  const nowMs = deps.nowMs ?? monotonicMs
  const front = randomBytes(8).toString('hex')
  const waiters = new Set<Waiter>()
  let last: FrontReport | null = null
  let count = 0
  let untilMs = 0
  let toldMs = 0
  let youngUntilMs = 0
  let polling = false

  const end = (waiter: Waiter): void => {
    waiters.delete(waiter)
    waiter.resolve()
  }
  const look = (waiter: Waiter, reports: readonly FrontReport[] | null, now: number): void => {
    const { epoch, sequence } = waiter
    const behind = reports?.filter(
      (one) => one.front !== front && (one.epoch !== epoch || one.sequence < sequence),
    )
    waiter.first ??= behind ?? null
    if (behind?.length === 0 && now >= waiter.notBeforeMs) return end(waiter)
    if (now < waiter.endMs) return
    // Who said nothing all the time is gone; when it comes back it reports anew.
    const silent = behind?.filter(({ front: name, count: said }) =>
      waiter.first?.some((one) => one.front === name && one.count === said),
    )
    if (silent !== undefined && silent.length > 0) marks.forget(silent).catch(() => undefined)
    end(waiter)
  }
  const poll = async (): Promise<void> => {
    if (polling) return
    polling = true
    while (waiters.size > 0) {
      const asked = [...waiters]
      // Where Redis does not answer, time alone tells.
      const reports = await marks.fronts().catch(() => null)
      const now = nowMs()
      for (const waiter of asked) look(waiter, reports, now)
      if (waiters.size > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    polling = false
  }

  return {
    report: ({ epoch, sequence }) => (last = { front, epoch, sequence, count: ++count }),
    answered(sentMs) {
      untilMs = sentMs + LEASE_MS
      if (untilMs - toldMs < TELL_MS) return
      toldMs = untilMs
      deps.onLease(untilMs)
    },
    get untilMs() {
      return untilMs
    },
    adopted: () => {
      youngUntilMs = nowMs() + YOUNG_MS
    },
    settled: (epoch, sequence) =>
      new Promise((resolve) => {
        const endMs = Math.max(nowMs() + LEASE_MS + SLACK_MS, youngUntilMs)
        waiters.add({ epoch, sequence, notBeforeMs: youngUntilMs, endMs, first: null, resolve })
        void poll()
      }),
    close() {
      if (last !== null) marks.forget([last]).catch(() => undefined)
      for (const waiter of waiters) end(waiter)
    },
  }
}
