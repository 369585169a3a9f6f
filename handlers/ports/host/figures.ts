/** Name and weight, then how often it was met and the longest time, where weight is a time. */
export type NameFigures =
  | readonly [name: string, weight: number]
  | readonly [name: string, weight: number, times: number, longest: number]

/** What was counted of a site on a day, or on a part of it; parts are added. Nothing of it names a person. */
export interface DayFigures {
  requests: number
  /** Of response bodies. */
  bytes: number
  /** Answers to requests for pages that came from the page cache, and those that did not. */
  hits: number
  misses: number
  /** Of `requests` and `bytes`, what programs asked for. */
  bot_requests: number
  bot_bytes: number
  /** By status; odd ones as `4xx`. */
  statuses: Record<string, number>
  /** A sketch of how many different visitors there were (`VisitorSketch.toText`); programs are not in it. */
  visitors: string
  /** Asked for by visitors and found; what belongs to pages is not among them. */
  pages: readonly NameFigures[]
  /** Asked for by visitors and not found. */
  missing: readonly NameFigures[]
  /** Names of sites that visitors came from. */
  referrers: readonly NameFigures[]
  bots: readonly NameFigures[]
  /** Weight is the sum of the milliseconds. */
  slow: readonly NameFigures[]
}

/** A part of what was counted of a site on a day. */
export interface FiguresPart {
  /** Primary name. */
  site: string
  /** `2026-11-24`, UTC. */
  day: string
  figures: DayFigures
}

/** What was counted since the batch before, or a part of it. */
export interface FiguresBatch {
  /** Answered again until a later call acknowledges it. */
  batch: string
  parts: FiguresPart[]
  /** Whether more is there already. */
  more: boolean
}
