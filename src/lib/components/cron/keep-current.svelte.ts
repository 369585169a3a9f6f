import type { ListedCronJob } from '$lib/api/types'
import { timestampMs } from '$lib/format/timestamp'
import { loadAnew } from '$lib/state/load-anew'

const UNDER_WAY_MS = 5000
/** A run begins within seconds of its minute. */
const AFTER_DUE_MS = 4000
const SOONEST_MS = 15_000
const LATEST_MS = 3_600_000

/** Reads jobs anew while one of them runs, and when the next is due. */
export const keepCurrent = (jobs: () => readonly ListedCronJob[], topic: string): void => {
  $effect(() => {
    const waits = jobs().map(({ last_outcome, next_at }) => {
      if (last_outcome === 'queued' || last_outcome === 'running') return UNDER_WAY_MS
      if (next_at === null) return LATEST_MS
      return Math.max(SOONEST_MS, timestampMs(next_at) + AFTER_DUE_MS - Date.now())
    })
    if (waits.length === 0) return
    const timer = setTimeout(() => void loadAnew(topic), Math.min(LATEST_MS, ...waits))
    return () => clearTimeout(timer)
  })
}
