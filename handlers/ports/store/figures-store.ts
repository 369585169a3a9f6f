/** What is kept of a site's visitors on a day. */
export interface FiguresRow {
  domain_id: number
  /** `2026-11-24`, UTC. */
  day: string
  requests: number
  /** Different ones, without programs. */
  visitors: number
  /** Of response bodies. */
  bytes: number
  hits: number
  misses: number
  /** Of `requests` and `bytes`, what programs asked for. */
  bot_requests: number
  bot_bytes: number
  /** Statuses and the names that were met most, as JSON. */
  details: string
  /** By which visitors are still told apart; null once the day is over. */
  sketch: string | null
}

/** The counts of a day of one of an account's sites, without names and statuses. */
export type SiteDayCounts = Omit<FiguresRow, 'details' | 'sketch'> & { domain_name: string }

/** Figures of sites, by day; they go with their domain. */
export interface FiguresStore {
  /** Name of the batch that was put last; null before the first. */
  figuresBatch(hostId?: number): Promise<string | null>
  /**
   * Inserts or replaces days and, unless null, remembers the batch that they came with: all
   * of it, or nothing, also where the batch was the last already. A domain that is not there gets none.
   */
  putFigures(batch: string | null, rows: readonly FiguresRow[], hostId?: number): Promise<void>
  /** Null: nobody was counted on that day. */
  figuresOfDay(domainId: number, day: string): Promise<FiguresRow | null>
  /** From one day to another, both included; oldest first. */
  listFigures(domainId: number, from: string, to: string): Promise<FiguresRow[]>
  /** Those of all sites of an account, from one day to another, both included; by day, then by name. */
  listAccountFigures(accountId: number, from: string, to: string): Promise<SiteDayCounts[]>
  /** The first day that there is; null without any. */
  firstFigures(domainId: number): Promise<string | null>
  /** Days before `day` in which visitors are still told apart, at most `most`. */
  openFigures(day: string, most: number): Promise<FiguresRow[]>
  /** Deletes the days before `day`. */
  deleteFigures(day: string): Promise<void>
}
