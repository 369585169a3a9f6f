import {
  createWarmQueue,
  type WarmOutcome,
  type WarmQueue,
  type WarmTarget,
  type WarmTime,
} from '#edge-cache/index.ts'
import type { WarmSettings } from '#edge-cache/warm/settings.ts'

/** Time that a test moves; timers fire in order while it passes. */
export interface TestTime extends WarmTime {
  pass(ms: number): Promise<void>
  /** Milliseconds until each open timer. */
  timers(): number[]
}

/** Lets everything happen that needs no time. */
export const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

export const createTestTime = (): TestTime => {
  let now = 1_000_000
  let timers: { atMs: number; work: () => void }[] = []
  return {
    nowMs: () => now,
    after(delayMs, work) {
      const timer = { atMs: now + delayMs, work }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    async pass(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const [next] = timers.filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs)
        if (next === undefined) break
        timers = timers.filter((one) => one !== next)
        now = Math.max(now, next.atMs)
        next.work()
        await settle()
      }
      now = end
    },
    timers: () => timers.map(({ atMs }) => atMs - now).sort((a, b) => a - b),
  }
}

export const page = (path: string): WarmTarget => ({ host: 'a.test', path, secure: false })
export const pages = (count: number): WarmTarget[] =>
  Array.from({ length: count }, (_, i) => page(`/${i}`))

export const SETTINGS: WarmSettings = {
  maxQueueSize: 100,
  maxConcurrency: 2,
  requestTimeoutMs: 1000,
  maxRetries: 2,
  retryBackoffMs: 100,
  dedupeWindowMs: 10_000,
}

export interface Rig {
  queue: WarmQueue
  time: TestTime
  /** Paths in the order in which attempts began. */
  begun: string[]
  /** Ends the oldest open attempt of a path. */
  end(path: string, outcome?: WarmOutcome): Promise<void>
  load: { now: boolean }
}

/** A queue whose attempts end when the test says so. */
export const createRig = (settings: Partial<WarmSettings> = {}, random = 0): Rig => {
  const time = createTestTime()
  const begun: string[] = []
  const open: { path: string; resolve(outcome: WarmOutcome): void }[] = []
  const load = { now: false }
  const queue = createWarmQueue({
    settings: { ...SETTINGS, ...settings },
    time,
    random: () => random,
    fill: ({ path }) => {
      begun.push(path)
      return new Promise((resolve) => open.push({ path, resolve }))
    },
    isLoaded: () => Promise.resolve(load.now),
    maxStates: 5,
  })
  return {
    queue,
    time,
    begun,
    load,
    async end(path, outcome = { kind: 'stored' }) {
      const index = open.findIndex((one) => one.path === path)
      open.splice(index, 1)[0]?.resolve(outcome)
      await settle()
    },
  }
}

export const FAILED: WarmOutcome = { kind: 'failed', reason: 'answered 502', retry: true }
