import { detailsOf, detailsText, readDetails } from '../../domain/figures/day-details.ts'
import { KEPT_NAMES, SiteDay } from '../../domain/figures/site-day.ts'
import type { DayFigures } from '../../ports/host/figures.ts'
import type { FiguresRow } from '../../ports/store/figures-store.ts'

const NOTHING = new SiteDay().figures()
const NO_DETAILS = detailsOf(NOTHING)

/** A kept day as it was counted. */
export const figuresOfRow = (row: FiguresRow): DayFigures => ({
  requests: row.requests,
  bytes: row.bytes,
  hits: row.hits,
  misses: row.misses,
  bot_requests: row.bot_requests,
  bot_bytes: row.bot_bytes,
  visitors: row.sketch ?? NOTHING.visitors,
  // Counts are worth showing without the names.
  ...(readDetails(row.details) ?? NO_DETAILS),
})

/** The kept day, or a new one, with what was counted since. */
export const rowWith = (
  domainId: number,
  day: string,
  kept: FiguresRow | null,
  figures: readonly DayFigures[],
): FiguresRow => {
  const sum = new SiteDay()
  if (kept !== null) sum.add(figuresOfRow(kept))
  for (const one of figures) sum.add(one)
  const isOver = kept !== null && kept.sketch === null
  const total = sum.figures()
  const { requests, bytes, hits, misses, bot_requests, bot_bytes } = total
  return {
    ...{ domain_id: domainId, day, requests, bytes, hits, misses, bot_requests, bot_bytes },
    details: detailsText(total),
    // Who came too late to be told apart from the others is one of them.
    visitors: isOver ? kept.visitors : sum.visitors.count(),
    sketch: isOver ? null : total.visitors,
  }
}

/** A day that is over: the number of its visitors without what they were told apart by, and fewer names. */
export const closedRow = (row: FiguresRow): FiguresRow => {
  const sum = new SiteDay()
  sum.add(figuresOfRow(row))
  return { ...row, details: detailsText(sum.figures(KEPT_NAMES)), sketch: null }
}
