import type { LogLevel } from '../../ports/host/logs.ts'

/** What a line of a log says. Null: it does not say. Texts can be shown, but are hostile all the same. */
export interface LogEntry {
  /** Unix milliseconds. */
  timeMs: number | null
  level: LogLevel
  domain: string | null
  status: number | null
  method: string | null
  /** Path and query as requested. */
  path: string | null
  client: string | null
  /** Of the response's body. */
  bytes: number | null
  durationMs: number | null
  /** Value of X-Cache. */
  cache: string | null
  referer: string | null
  userAgent: string | null
  message: string
}

/** An entry that says nothing but `message`. */
export const plainEntry = (message: string, level: LogLevel): LogEntry => ({
  timeMs: null,
  level,
  domain: null,
  status: null,
  method: null,
  path: null,
  client: null,
  bytes: null,
  durationMs: null,
  cache: null,
  referer: null,
  userAgent: null,
  message,
})
