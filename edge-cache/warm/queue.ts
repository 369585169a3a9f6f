import { createWarmDedupe } from './dedupe.ts'
import { createFairQueue } from './fair-queue.ts'
import { retryDelayMs } from './retry-delay.ts'
import type { WarmSettings } from './settings.ts'
import { createTargetStates } from './target-states.ts'
import { createWarmTallies, type WarmTally } from './tallies.ts'
import type { WarmTarget } from '../address/warm-target.ts'
import {
  warmTargetId,
  type CancelTimer,
  type WarmOutcome,
  type WarmQueueStats,
  type WarmSubmission,
  type WarmTargetState,
  type WarmTime,
} from './types.ts'
import { createWarmSlots } from './slots.ts'

/** What a queue fills pages with, and when it gives way. */
export interface WarmQueueDeps {
  settings: WarmSettings
  time: WarmTime
  /** 0 to 1. */
  random(): number
  /**
   * Fills a target; settles when nothing is under way for it any more, be that
   * after the timeout. A rejection counts as a failure that may be repeated.
   */
  fill(target: WarmTarget): Promise<WarmOutcome>
  /** Whether visitors need the server for themselves just now. */
  isLoaded(): Promise<boolean>
  /** How many last states are kept. Default 200. */
  maxStates?: number
}

/** Targets on their way into the cache. */
export interface WarmQueue {
  /**
   * Takes what is new and fits; begins at once. `share` (0 to 1, default 1) is how much
   * of the room that is free now may be taken, so that one of many leaves some to all others.
   */
  submit(targets: readonly WarmTarget[], trigger: string, share?: number): WarmSubmission
  /** Does other work under the same limit of concurrency and load. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when so many targets (at most the capacity) fit, or when it stops. */
  roomFor(count: number): Promise<void>
  /** In force at once; what waits beyond a smaller size stays. */
  configure(settings: WarmSettings): void
  /** Pages were purged: they may be warmed again before the dedupe window ends. */
  forgetWarmed(): void
  /** A copy. */
  stats(): WarmQueueStats
  /** Copies of the last states, newest last. */
  states(): WarmTargetState[]
  /** How far what was asked for under a trigger is; null for one that is not known (any more). */
  tally(trigger: string): WarmTally | null
  /** Drops what waits; what runs is left to end by itself. */
  stop(): void
}

/**
 * A bounded queue, worked off by at most `maxConcurrency` at a time: hosts in
 * turns, so that a slow one does not hold up all others, and the pages of each in
 * the order of submission. What times out keeps its place among those until
 * it has really ended, so that a slow site is never asked more at once than
 * allowed; its repetition waits meanwhile.
 */
export const createWarmQueue = (deps: WarmQueueDeps): WarmQueue => {
  const { time } = deps
  let settings = deps.settings
  let stopped = false
  const waiting = createFairQueue<WarmTargetState>()
  /** Accepted and not finished, by id. */
  const open = new Set<string>()
  const retries = new Map<WarmTargetState, CancelTimer>()
  const dedupe = createWarmDedupe({ nowMs: time.nowMs })
  const states = createTargetStates({ nowMs: time.nowMs, max: deps.maxStates ?? 200 })
  const tallies = createWarmTallies()
  const count = { queued: 0, done: 0, failed: 0, retried: 0, skipped: 0 }
  const turned = { deduplicated: 0, rejected: 0 }
  let roomWaiters: { count: number; wake(): void }[] = []

  const size = (): number => waiting.size() + retries.size
  const wakeRoomWaiters = (): void => {
    const room = settings.maxQueueSize - size()
    roomWaiters = roomWaiters.filter((waiter) => {
      const enough = stopped || room >= Math.min(waiter.count, settings.maxQueueSize)
      if (enough) waiter.wake()
      return !enough
    })
  }

  const close = (record: WarmTargetState, outcome: WarmOutcome): void => {
    const id = warmTargetId(record.target)
    open.delete(id)
    tallies.closed(record.trigger, record.target, outcome)
    if (outcome.kind === 'stored') {
      count.done++
      states.change(record, { state: 'done', reason: null })
      return
    }
    count[outcome.kind]++
    dedupe.forget(id)
    states.change(record, { state: outcome.kind, reason: outcome.reason })
  }

  const conclude = (record: WarmTargetState, outcome: WarmOutcome): void => {
    const again = outcome.kind === 'failed' && outcome.retry && !stopped
    if (!again || record.attempts > settings.maxRetries) return close(record, outcome)
    count.retried++
    states.change(record, { state: 'retrying', reason: outcome.reason })
    const delayMs = retryDelayMs(settings.retryBackoffMs, record.attempts, deps.random)
    retries.set(
      record,
      time.after(delayMs, () => {
        retries.delete(record)
        states.change(record, { state: 'queued' })
        waiting.push(record.target.host, record)
        slots.pump()
      }),
    )
  }

  /** Resolves when the attempt needs its slot no more. */
  const attempt = async (record: WarmTargetState): Promise<void> => {
    states.change(record, { state: 'running', attempts: record.attempts + 1 })
    const { requestTimeoutMs } = settings
    const failed = (reason: string): WarmOutcome => ({ kind: 'failed', reason, retry: true })
    const filling = Promise.resolve()
      .then(() => deps.fill(record.target))
      .catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)))
    let cancel: CancelTimer = () => undefined
    const late = new Promise<WarmOutcome>((resolve) => {
      cancel = time.after(requestTimeoutMs, () =>
        resolve(failed(`no answer within ${requestTimeoutMs} ms`)),
      )
    })
    const outcome = await Promise.race([filling, late])
    cancel()
    conclude(record, outcome)
    await filling
  }

  const slots = createWarmSlots({
    time,
    limit: () => settings.maxConcurrency,
    isLoaded: deps.isLoaded,
    hasNext: () => waiting.size() > 0,
    next: () => {
      const record = waiting.shift()
      if (record === undefined) return null
      return () => {
        wakeRoomWaiters()
        return attempt(record)
      }
    },
  })

  return {
    submit(targets, trigger, share = 1) {
      const result: WarmSubmission = { queued: 0, duplicates: 0, overflow: [] }
      const room = Math.ceil((settings.maxQueueSize - size()) * share)
      for (const target of targets) {
        const id = warmTargetId(target)
        if (open.has(id) || dedupe.has(id, settings.dedupeWindowMs)) result.duplicates++
        else if (stopped || result.queued >= room) result.overflow.push(target)
        else {
          open.add(id)
          dedupe.add(id)
          waiting.push(target.host, states.begin(target, trigger))
          result.queued++
        }
      }
      count.queued += result.queued
      tallies.queued(trigger, result.queued)
      turned.deduplicated += result.duplicates
      turned.rejected += result.overflow.length
      slots.pump()
      return result
    },
    run: (work) => slots.run(work),
    roomFor: (wanted) =>
      new Promise((wake) => {
        roomWaiters.push({ count: wanted, wake })
        wakeRoomWaiters()
      }),
    configure(next) {
      settings = next
      wakeRoomWaiters()
      slots.pump()
    },
    forgetWarmed: () => dedupe.clear(),
    stats: () => ({
      size: size(),
      running: slots.running(),
      paused: slots.paused(),
      ...count,
      ...turned,
    }),
    states: () => states.list(),
    tally: (trigger) => tallies.of(trigger),
    stop() {
      stopped = true
      for (const cancel of retries.values()) cancel()
      retries.clear()
      waiting.clear()
      slots.stop()
      wakeRoomWaiters()
    },
  }
}
