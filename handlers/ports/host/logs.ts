/** The logs of an installation, by what is in them. Where each lies is the host's table; no path ever comes from outside. */
export const LOG_FILES = ['access', 'error', 'php', 'hooks', 'web', 'panel', 'agent'] as const
/** One of `LOG_FILES`. */
export type LogFile = (typeof LOG_FILES)[number]

/** From harmless to bad. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** One of `LOG_LEVELS`. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Which lines are wanted; null: no restriction. */
export interface LogFilter {
  /** Only lines of these hosts, each from its moment on (unix ms): before it the name may have been somebody else's. */
  hosts: readonly { name: string; sinceMs: number }[] | null
  /** Text that occurs in the line, whatever the case. */
  q: string | null
  /** This level and what is worse. */
  level: LogLevel | null
  /** A status, e.g. `404`, or a class, e.g. `4xx`. */
  status: string | null
  /** Upper case. */
  method: string | null
  /** Unix milliseconds, inclusive. Lines without a time are skipped. */
  fromMs: number | null
  /** Unix milliseconds, exclusive. */
  toMs: number | null
}

/** One line of a log. */
export interface LogRecord {
  /** Place of the line; unique among the lines of a log. */
  id: string
  /** The line as it stands in the file, hostile text; at most 8 KiB of it. */
  text: string
  /** Whether the line is longer than `text`. */
  cut: boolean
}

/** A place in a log: the file and a byte. It stays good when the file is renamed. */
export type LogPlace = string

/** Lines on the way back into the past. */
export interface LogPage {
  /** Newest first. */
  records: LogRecord[]
  /** Where older lines begin; null: there are none. */
  next: LogPlace | null
  /** Whether the search ended because it had read enough, not because of enough lines. */
  truncated: boolean
  /** Behind the newest line, to follow the log from there. */
  end: LogPlace
}

/** Lines that came behind a place. */
export interface LogContinuation {
  /** Oldest first. */
  records: LogRecord[]
  /** Where to go on. */
  after: LogPlace
  /** Whether there is more at once. */
  more: boolean
  /** Whether lines were skipped: too many came, or the file was emptied or rotated away. */
  skipped: boolean
}

/** Reads logs, rotated ones too. Bounded: a call reads some megabytes of a log at most. */
export interface LogsPort {
  /** The logs that exist, with the size of the current file. */
  list(): Promise<{ file: LogFile; sizeBytes: number }[]>
  /**
   * At most `lines` lines before `before` (null: the end). A log that does not
   * exist is empty. 409 for a place that was rotated away.
   */
  read(input: {
    file: LogFile
    filter: LogFilter
    before: LogPlace | null
    lines: number
  }): Promise<LogPage>
  /** The place `bytesBack` before the end, or the oldest there is; at the begin of a line. 0: the end. */
  place(input: { file: LogFile; bytesBack: number }): Promise<LogPlace>
  /**
   * What came after `after`, through rotations. With `maxLagBytes` it skips
   * what lies further behind the end than that.
   */
  follow(input: {
    file: LogFile
    filter: LogFilter
    after: LogPlace
    lines: number
    maxLagBytes: number | null
  }): Promise<LogContinuation>
}
