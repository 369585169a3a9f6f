import type { Retention } from '../../ports/retention.ts'

/** The Monday of an ISO week, as its name. */
const weekOf = (at: Date): string => {
  const monday = Date.UTC(
    at.getUTCFullYear(),
    at.getUTCMonth(),
    at.getUTCDate() - ((at.getUTCDay() + 6) % 7),
  )
  return new Date(monday).toISOString().slice(0, 10)
}

const PERIODS: readonly [keyof Retention, (at: Date) => string][] = [
  ['hourly', (at) => at.toISOString().slice(0, 13)],
  ['daily', (at) => at.toISOString().slice(0, 10)],
  ['weekly', weekOf],
  ['monthly', (at) => at.toISOString().slice(0, 7)],
]

/** Those of `backups` that no rule keeps; the newest one always stays. `atMs` is when it was made (unix ms). */
export const toBeRemoved = <Backup extends { atMs: number }>(
  backups: readonly Backup[],
  keep: Retention,
): Backup[] => {
  const sorted = [...backups].sort((a, b) => b.atMs - a.atMs)
  const kept = new Set(sorted.slice(0, Math.max(keep.last, 1)))
  for (const [rule, nameOf] of PERIODS) {
    const seen = new Set<string>()
    for (const backup of sorted) {
      const name = nameOf(new Date(backup.atMs))
      if (seen.has(name)) continue
      if (seen.size >= keep[rule]) break
      seen.add(name)
      kept.add(backup)
    }
  }
  return sorted.filter((backup) => !kept.has(backup))
}
