import type { MetricValues } from '../../ports/store/metrics.ts'

/** Values of a period of which nothing is known. */
export const NO_VALUES: Readonly<MetricValues> = {
  cpu_percent: null,
  memory_used_mb: null,
  memory_total_mb: null,
  disk_used_mb: null,
  load_1: null,
  load_5: null,
  load_15: null,
  requests_per_sec: null,
  hits_per_sec: null,
  lookups_per_sec: null,
}

/** Averages of what was measured; null where nothing was. */
export const averageValues = (all: readonly MetricValues[]): MetricValues => {
  const average = (name: keyof MetricValues): number | null => {
    const known = all.flatMap((one) => one[name] ?? [])
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
  }
  return {
    cpu_percent: average('cpu_percent'),
    memory_used_mb: average('memory_used_mb'),
    memory_total_mb: average('memory_total_mb'),
    disk_used_mb: average('disk_used_mb'),
    load_1: average('load_1'),
    load_5: average('load_5'),
    load_15: average('load_15'),
    requests_per_sec: average('requests_per_sec'),
    hits_per_sec: average('hits_per_sec'),
    lookups_per_sec: average('lookups_per_sec'),
  }
}
