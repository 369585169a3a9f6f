import type { WarmTarget } from '../address/warm-target.ts'
import { warmTargetId, type WarmOutcome } from './types.ts'

/** How far everything is that was asked for under one trigger. */
export interface WarmTally {
  /** Accepted; `done`, `skipped` and `failed` add up to it in the end. */
  queued: number
  done: number
  skipped: number
  failed: number
  /** The latest pages that were skipped or failed, with the reason. */
  problems: { url: string; reason: string }[]
}

/** Tallies by trigger, of the latest triggers only. */
export interface WarmTallies {
  /** `count` targets more were accepted. */
  queued(trigger: string, count: number): void
  /** A target is through; of an unknown trigger it counts nothing. */
  closed(trigger: string, target: WarmTarget, outcome: WarmOutcome): void
  /** A copy; null for a trigger that was never used, or long ago. */
  of(trigger: string): WarmTally | null
}

const MAX_TRIGGERS = 256
const MAX_PROBLEMS = 20

/** Keeps 256 triggers, and 20 problems of each. */
export const createWarmTallies = (): WarmTallies => {
  const tallies = new Map<string, WarmTally>()
  return {
    queued(trigger, count) {
      const known = tallies.get(trigger)
      const tally = known ?? { queued: 0, done: 0, skipped: 0, failed: 0, problems: [] }
      tally.queued += count
      tallies.delete(trigger)
      tallies.set(trigger, tally)
      const [oldest] = tallies.keys()
      if (tallies.size > MAX_TRIGGERS && oldest !== undefined) tallies.delete(oldest)
    },
    closed(trigger, target, outcome) {
      const tally = tallies.get(trigger)
      if (tally === undefined) return
      if (outcome.kind === 'stored') {
        tally.done++
        return
      }
      tally[outcome.kind]++
      tally.problems.push({ url: warmTargetId(target), reason: outcome.reason })
      if (tally.problems.length > MAX_PROBLEMS) tally.problems.shift()
    },
    of: (trigger) => structuredClone(tallies.get(trigger) ?? null),
  }
}
