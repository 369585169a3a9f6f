import type { z } from 'zod'
import { dayFiguresSchema } from '../../domain/figures/figures-batch.ts'
import { KEPT_NAMES, SiteDay } from '../../domain/figures/site-day.ts'
import type { DayFigures } from '../../ports/host/figures.ts'
import type { FiguresRow } from '../../ports/store/figures-store.ts'

const NOTHING = new SiteDay().figures()

const detailsSchema = dayFiguresSchema.pick({
  statuses: true,
  pages: true,
  missing: true,
  referrers: true,
  bots: true,
  slow: true,
})

const detailsOf = (text: string): Pick<DayFigures, keyof z.output<typeof detailsSchema>> => {
  try {
    return detailsSchema.parse(JSON.parse(text))
  } catch {
    // Counts are worth showing without the names.
    return NOTHING
  }
}

/** A kept day as it was counted. */
export const figuresOfRow = (row: FiguresRow): DayFigures => ({
  requests: row.requests,
  bytes: row.bytes,
  hits: row.hits,
  misses: row.misses,
  bot_requests: row.bot_requests,
  bot_bytes: row.bot_bytes,
  visitors: row.sketch ?? NOTHING.visitors,
  ...detailsOf(row.details),
})

const counted = ({
  visitors,
  statuses,
  pages,
  missing,
  referrers,
  bots,
  slow,
  ...rest
}: DayFigures) => ({
  counts: rest,
  details: JSON.stringify({ statuses, pages, missing, referrers, bots, slow }),
  sketch: visitors,
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
  const { counts, details, sketch } = counted(sum.figures())
  return {
    ...{ domain_id: domainId, day, ...counts, details },
    // Who came too late to be told apart from the others is one of them.
    visitors: isOver ? kept.visitors : sum.visitors.count(),
    sketch: isOver ? null : sketch,
  }
}

/** A day that is over: the number of its visitors without what they were told apart by, and fewer names. */
export const closedRow = (row: FiguresRow): FiguresRow => {
  const sum = new SiteDay()
  sum.add(figuresOfRow(row))
  return { ...row, details: counted(sum.figures(KEPT_NAMES)).details, sketch: null }
}
