const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long after its hour a run is made up for, when the panel was not there. */
const CATCH_UP_MS = 6 * HOUR_MS

/** When the run that is due at `nowMs` began to be due (unix ms); null when none is. `hour` is UTC, null: never. */
export const backupsDueSince = (hour: number | null, nowMs: number): number | null => {
  if (hour === null) return null
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + hour * HOUR_MS
  const latest = today <= nowMs ? today : today - DAY_MS
  return nowMs - latest < CATCH_UP_MS ? latest : null
}
