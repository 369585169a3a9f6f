/** Measured at one moment, or the averages of a period; null is what could not be measured. */
export interface MetricValues {
  cpu_percent: number | null
  memory_used_mb: number | null
  memory_total_mb: number | null
  /** Of the file system of the homes. */
  disk_used_mb: number | null
  load_1: number | null
  load_5: number | null
  load_15: number | null
  requests_per_sec: number | null
  /** Responses from the page cache. */
  hits_per_sec: number | null
  /** Requests that the page cache was asked for: hits and misses. */
  lookups_per_sec: number | null
}

/** Values of the period that begins at `at_secs` (unix seconds, a multiple of the period). */
export interface MetricRow extends MetricValues {
  at_secs: number
}

/** Length of the periods that are kept. */
export type MetricStep = 60 | 600

/** Part of the store: what the charts show, of each host. `hostId` is the panel's own by default. */
export interface MetricStore {
  /** Keeps what is there already: of a period in two parts (a restart) the first counts. */
  putMetric(step: MetricStep, row: MetricRow, hostId?: number): Promise<void>
  /** Periods that begin in `[fromSecs, untilSecs)`, oldest first. */
  metrics(
    step: MetricStep,
    fromSecs: number,
    untilSecs: number,
    hostId?: number,
  ): Promise<MetricRow[]>
  /** Makes the averages of ten minutes anew from the minutes of `[fromSecs, untilSecs)`, both multiples of 600. */
  rollMetrics(fromSecs: number, untilSecs: number, hostId?: number): Promise<void>
  /** Of all hosts: removes periods before `beforeSecs`, and those after `afterSecs` (left by a clock that was wrong). */
  pruneMetrics(step: MetricStep, beforeSecs: number, afterSecs: number): Promise<void>
}
