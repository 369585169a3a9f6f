import type { WarmRun } from './warm-port.ts'

/** A deterministic run as it begins. */
export const beginWarmRun = (trigger: string, nowMs: number): WarmRun => ({
  trigger,
  started_at: new Date(nowMs).toISOString(),
  finished_at: null,
  virtual_hosts: 0,
  queued: 0,
  duplicates: 0,
})
