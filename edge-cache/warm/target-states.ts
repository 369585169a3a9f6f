import type { WarmTarget } from '../address/warm-target.ts'
import { warmTargetId, type WarmTargetState } from './types.ts'

/** The last states of targets, newest last, at most so many. */
export interface TargetStates {
  /** Begins the record of a target that was accepted. */
  begin(target: WarmTarget, trigger: string): WarmTargetState
  /** Changes a record and makes it the newest. */
  change(record: WarmTargetState, change: Partial<WarmTargetState>): void
  /** Copies, newest last. */
  list(): WarmTargetState[]
}

/** `max` records are kept; those changed longest ago go first. */
export const createTargetStates = (deps: { nowMs(): number; max: number }): TargetStates => {
  const records = new Map<string, WarmTargetState>()
  const keep = (record: WarmTargetState): void => {
    const id = warmTargetId(record.target)
    records.delete(id)
    records.set(id, record)
    if (records.size <= deps.max) return
    const [oldest] = records.keys()
    if (oldest !== undefined) records.delete(oldest)
  }
  return {
    begin(target, trigger) {
      const changedAtMs = deps.nowMs()
      const record: WarmTargetState = {
        target,
        state: 'queued',
        trigger,
        attempts: 0,
        reason: null,
        changedAtMs,
      }
      keep(record)
      return record
    },
    change(record, change) {
      Object.assign(record, change, { changedAtMs: deps.nowMs() })
      keep(record)
    },
    list: () => [...records.values()].map((record) => ({ ...record })),
  }
}
