/** Least, middle and greatest of several measured values. */
export interface Spread {
  min: number
  median: number
  max: number
}

export type Unit = 'x' | 'ms' | 's' | 'B' | 'requests'

/** What a row must show; one of the two is given. */
export interface Bar {
  atLeast?: number
  atMost?: number
}

/** One line of the table of results. */
export interface Finding {
  row: string
  /** What the work is, e.g. `hit, 10 KB, identity`. */
  work: string
  /** Whom it is compared with; empty where a value stands for itself. */
  against: string
  /** What was counted, e.g. `requests per CPU-second`. */
  measure: string
  unit: Unit
  /** Null: only told, nothing is demanded. */
  bar: Bar | null
  values: Spread
  /** What the figure does not say by itself. */
  note?: string
}

/** An absolute figure of one server, for readers who wonder about a ratio. */
export interface Figure {
  row: string
  server: string
  /** Thousand requests per second (MB per second where `bytes`). */
  perSecond: Spread
  /** The same per CPU-second of the server's processes. */
  perCpuSecond: Spread
  bytes: boolean
}

export interface FamilyResult {
  findings: Finding[]
  figures: Figure[]
}

/** How long and how often things are measured. */
export interface Effort {
  quick: boolean
  rounds: number
  /** Of one measured run. */
  seconds: number
  /** Before each measured run, not counted. */
  warmSeconds: number
}

/** Rows that share servers or an instance. */
export interface Family {
  name: string
  /** Names of rows, as `--rows` takes them, with what each shows. */
  rows: Readonly<Record<string, string>>
  /** What stands in the way of a row that stays below its bar, by row. */
  obstacles?: Readonly<Record<string, string>>
  /** Measures those of its rows that `wanted` names. */
  measure(wanted: ReadonlySet<string>, effort: Effort): Promise<FamilyResult>
}
