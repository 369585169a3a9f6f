import type { Socket } from 'node:net'
import type { Log } from '#handlers/ports/log.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import type { AccessLog } from '../log/access-log.ts'
import type { CpuMeter } from '../cpu/cpu-meter.ts'
import type { RequestTurns } from '../watchdog/request-turns.ts'
import type { FastLimits } from '../limits/fast-limits.ts'
import type { FileFastPath } from './fast/file-fast-path.ts'
import type { FastResponses } from './fast/fast-responses.ts'
import type { FastPath } from './fast/fast-path.ts'
import type { HttpClock } from './http-clock.ts'
import type { MissingFastPath } from './fast/missing-fast-path.ts'
import type { KnownTargets } from './head/known-targets.ts'

/** Milliseconds. */
export interface ConnectionTimes {
  /** How long an idle connection is kept. */
  keepAliveMs: number
  /** Within what time a head must have arrived. */
  headMs: number
  /** Window of `ReadingPace`: how long a client may take too little of a waiting answer. */
  stallMs: number
}

/** Counters of one worker. */
export interface EngineCounters {
  requests: number
  /** Answered the fast path. */
  fastHits: number
  fastBytes: number
  handedOver: number
}

/** What every connection of a worker shares. */
export interface ConnectionServices {
  site: SiteHandler
  fast: FastPath
  targets: KnownTargets
  answers: FastResponses
  /** Answers with files that may be given again; null: none are. */
  files: FileFastPath | null
  /** Answers where nothing is; null: the slow path alone gives them. */
  nothing: MissingFastPath | null
  /** Requests at sites with limits, which are counted before they are answered from memory. */
  limits: FastLimits
  /** The path of a raw path (no query) as the slow path would see it; null when the slow path must decide. */
  normalizePath(raw: string): string | null
  clock: HttpClock
  /** Whose time the event loop spends; null: nobody asks. */
  cpu: { meter: CpuMeter; turns: Pick<RequestTurns, 'leave'> } | null
  accessLog: AccessLog
  counters: EngineCounters
  times: ConnectionTimes
  /** Longest request head, in bytes. */
  maxHeadBytes: number
  log: Log
  /** Whether the worker is on its way out: answers then end their connection. */
  draining(): boolean
  /**
   * Gives a socket with its unread bytes to the general HTTP server; a head among them
   * must be whole after `headMs`. `method`: what another stands in for, see `readRequestLine`.
   */
  handOver(socket: Socket, unread: Buffer, headMs: number, method: string | null): void
}
