import type { WarmTarget } from '../address/warm-target.ts'

/** How one attempt ended. */
export type WarmOutcome =
  | { kind: 'stored' }
  /** Cannot be warmed now, and trying again would not help. */
  | { kind: 'skipped'; reason: string }
  /** `retry`: whether another attempt may succeed. */
  | { kind: 'failed'; reason: string; retry: boolean }

/** `retrying` waits for its backoff to pass. */
export type WarmState = 'queued' | 'running' | 'retrying' | 'done' | 'skipped' | 'failed'

/** What is known of a target that was asked for lately. */
export interface WarmTargetState {
  target: WarmTarget
  state: WarmState
  /** What asked for it, e.g. `manual`, `schedule`. */
  trigger: string
  /** Attempts begun so far. */
  attempts: number
  /** Why it was skipped or failed, also of an attempt that will be repeated. */
  reason: string | null
  /** Wall clock, milliseconds. */
  changedAtMs: number
}

/** What became of targets that were handed in. */
export interface WarmSubmission {
  queued: number
  /** Under way, or warmed within the dedupe window. */
  duplicates: number
  /** Did not fit into the queue. */
  overflow: WarmTarget[]
}

/** Counters since the start, and what is under way. */
export interface WarmQueueStats {
  /** Waiting, for their turn or for a repetition. */
  size: number
  running: number
  /** Held back because the server is loaded. */
  paused: boolean
  queued: number
  done: number
  failed: number
  retried: number
  skipped: number
  deduplicated: number
  rejected: number
}

/** Ends a timer; harmless when it has fired. */
export type CancelTimer = () => void

/** Time as the warm parts need it; tests move it by hand. */
export interface WarmTime {
  /** Wall clock, milliseconds. */
  nowMs(): number
  /** Calls `work` once after `delayMs`. */
  after(delayMs: number, work: () => void): CancelTimer
}

/** The one string that tells targets apart. */
export const warmTargetId = ({ host, path, secure, mobile }: WarmTarget): string =>
  `${secure ? 'https' : 'http'}://${host}${path}${mobile === true ? ' (mobile)' : ''}`
