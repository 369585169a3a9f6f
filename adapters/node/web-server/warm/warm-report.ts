import { type WarmQueue, type WarmSchedule, warmTargetId } from '#edge-cache/index.ts'
import type { CacheConfig } from '#edge-cache/config.ts'
import type { WarmReport } from '#handlers/management/warm-port.ts'
import type { WarmRuns } from './warm-runs.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

/** The warm part of the statistics. */
export const warmReport = (
  cache: CacheConfig,
  { queue, runs, schedule }: { queue: WarmQueue; runs: WarmRuns; schedule: WarmSchedule },
): WarmReport => {
  const { size, ...counters } = queue.stats()
  const nextMs = schedule.nextAtMs()
  const last = runs.last()
  return {
    enabled: cache.enable && cache.warm_enabled,
    queue_size: size,
    queue_limit: cache.warm_max_queue_size,
    ...counters,
    last_run: last && { ...last },
    next_run_at: nextMs === null ? null : iso(nextMs),
    targets: queue.states().map(({ target, changedAtMs, ...state }) => ({
      url: warmTargetId(target),
      ...state,
      changed_at: iso(changedAtMs),
    })),
  }
}
