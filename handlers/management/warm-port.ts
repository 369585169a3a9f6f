/** What is to be warmed, as it was asked for. */
export interface WarmRequest {
  /** Paths and full URLs. */
  urls: string[]
  /** Where bare paths go and what a deterministic run is limited to; null: every virtual host. */
  domain: string | null
  /** What asked, for the statistics; at most 64 characters. */
  trigger: string
  /** Also find and warm home page, sitemaps and linked pages. */
  deterministic: boolean
  /** Primary name of the one virtual host that anything may be warmed of; default: all. */
  only?: string
}

/** What became of a request. */
export interface WarmReceipt {
  queued: number
  /** Under way already, or warmed within `warm_dedupe_window_secs`. */
  duplicates: number
  rejected: { url: string; reason: string }[]
  queue_size: number
  /** Of a deterministic request: whether all its pages are queued or it is still finding them. */
  deterministic?: 'queued' | 'running'
}

/** The warm part of the statistics. Times are ISO 8601; counters are sums since the start. */
export interface WarmReport {
  enabled: boolean
  queue_size: number
  queue_limit: number
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
  /** The last deterministic run; null when there was none. */
  last_run: WarmRun | null
  /** Null when `warm_schedule_secs` is 0. */
  next_run_at: string | null
  /** The last targets that changed their state, oldest first. */
  targets: WarmTargetReport[]
}

export interface WarmRun {
  trigger: string
  started_at: string
  /** Null while it runs. */
  finished_at: string | null
  virtual_hosts: number
  queued: number
  duplicates: number
}

export interface WarmTargetReport {
  url: string
  state: 'queued' | 'running' | 'retrying' | 'done' | 'skipped' | 'failed'
  trigger: string
  attempts: number
  reason: string | null
  changed_at: string
}

/** What the management API reaches of the warm queue. */
export interface WarmPort {
  /** Why nothing is warmed; null when the queue is open. */
  closed(): string | null
  submit(request: WarmRequest): Promise<WarmReceipt>
  report(): WarmReport
  /** How far what was asked for under a trigger is; null for one that is not known (any more). */
  tally(trigger: string): (WarmTallyReport & { finding: boolean }) | null
}

export interface WarmTallyReport {
  queued: number
  done: number
  skipped: number
  failed: number
  problems: { url: string; reason: string }[]
}
