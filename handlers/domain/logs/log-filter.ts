/** The logs of an installation, by what is in them. Where each lies is the host's table; no path ever comes from outside. */
export const LOG_FILES = ['access', 'error', 'php', 'hooks', 'web', 'panel', 'agent'] as const
export type LogFile = (typeof LOG_FILES)[number]

/** From harmless to bad. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
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
  /** Unix milliseconds, inclusive. Lines without a time are left out. */
  fromMs: number | null
  /** Unix milliseconds, exclusive. */
  toMs: number | null
}
