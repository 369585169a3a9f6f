import type { DayFigures } from '../../ports/host/figures.ts'
import { dayFiguresSchema } from './figures-batch.ts'

const detailsSchema = dayFiguresSchema.pick({
  statuses: true,
  pages: true,
  missing: true,
  referrers: true,
  bots: true,
  slow: true,
})

/** What is kept of a day beside its counts: lists of names with theirs. */
export type DayDetails = Pick<
  DayFigures,
  'statuses' | 'pages' | 'missing' | 'referrers' | 'bots' | 'slow'
>

/** The details of a day without its counts. */
export const detailsOf = (figures: DayFigures): DayDetails => {
  const { statuses, pages, missing, referrers, bots, slow } = figures
  return { statuses, pages, missing, referrers, bots, slow }
}

/** The details of a day as text for the store. */
export const detailsText = (figures: DayFigures): string => JSON.stringify(detailsOf(figures))

/** The same again; null for a text that is none. */
export const readDetails = (text: string): DayDetails | null => {
  try {
    return detailsSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
