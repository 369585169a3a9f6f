import type { SiteDay } from '#handlers/domain/figures/site-day.ts'

/** What a worker counts of one site. */
export interface SiteFigures {
  /** Primary name. */
  readonly site: string
  /** What was counted since it was taken out last. */
  day: SiteDay
  /** Another number with every `day`: what was looked up in one is not looked for in another. */
  turn: number
}
