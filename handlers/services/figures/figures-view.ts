import { SiteDay } from '../../domain/figures/site-day.ts'
import { VisitorSketch } from '../../domain/figures/visitor-sketch.ts'
import type { DayFigures } from '../../ports/host/figures.ts'
import type { FiguresRow } from '../../ports/store/figures-store.ts'
import { figuresOfRow } from './figures-rows.ts'

/** What a day, or several, are shown as in figures. */
export interface FiguresCounts {
  requests: number
  visitors: number
  bytes: number
  hits: number
  misses: number
  bot_requests: number
  bot_bytes: number
  statuses: Record<'1xx' | '2xx' | '3xx' | '4xx' | '5xx', number>
}

export interface FiguresDayView extends FiguresCounts {
  day: string
}

/** A site's visitors from one day to another. */
export interface FiguresView {
  time_zone: 'UTC'
  from: string
  to: string
  /** The first day that is kept; null before anybody was counted. */
  counted_since: string | null
  totals: FiguresCounts & { hit_rate: number | null }
  /** Oldest first; a day without requests is not there. */
  days: FiguresDayView[]
  statuses: { status: string; count: number }[]
  pages: { path: string; count: number }[]
  slow_pages: { path: string; count: number; mean_ms: number; longest_ms: number }[]
  missing_pages: { path: string; count: number }[]
  referrers: { host: string; count: number }[]
  bots: { name: string; count: number }[]
}

/** Names of each kind that are told apart while days are added, and those that are shown. */
const ADDED = { pages: 2000, missing: 1000, referrers: 1000, bots: 200, slow: 1000 } as const
const SHOWN = 25
/** Of a page that was made but once or twice, the mean says little, unless nothing else is there. */
const MIN_TIMES = 3

const NOBODY = new VisitorSketch().toText()

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

const classesOf = (statuses: Readonly<Record<string, number>>): FiguresCounts['statuses'] => {
  const classes = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  for (const [status, count] of Object.entries(statuses)) {
    const name = CLASSES.find((one) => one.startsWith(status.charAt(0)))
    if (name !== undefined) classes[name] += count
  }
  return classes
}

const byCount = (one: { count: number }, other: { count: number }): number =>
  other.count - one.count

/** A kept day in figures; `statuses`: where somebody has read its details already. */
export const dayView = (
  row: FiguresRow,
  { statuses }: Pick<DayFigures, 'statuses'> = figuresOfRow(row),
): FiguresDayView => {
  const { day, requests, visitors, bytes, hits, misses, bot_requests, bot_bytes } = row
  return {
    ...{ day, requests, visitors, bytes, hits, misses, bot_requests, bot_bytes },
    statuses: classesOf(statuses),
  }
}

const slowPages = (sum: SiteDay): FiguresView['slow_pages'] => {
  const all = sum.slow.list(true).map(([path, weight, times = 1, longest = weight]) => ({
    path,
    count: times,
    mean_ms: Math.min(longest, Math.round(weight / Math.max(1, times))),
    longest_ms: longest,
  }))
  const often = all.filter(({ count }) => count >= MIN_TIMES)
  return (often.length > 0 ? often : all).sort((a, b) => b.mean_ms - a.mean_ms).slice(0, SHOWN)
}

/** Adds days up. */
export const figuresView = (
  span: { from: string; to: string },
  since: string | null,
  rows: readonly FiguresRow[],
): FiguresView => {
  const sum = new SiteDay(undefined, ADDED)
  const days = rows.map((row) => {
    const figures = figuresOfRow(row)
    // Visitors of different days cannot be told apart, by design.
    sum.add({ ...figures, visitors: NOBODY })
    return dayView(row, figures)
  })
  const visitors = days.reduce((all, day) => all + day.visitors, 0)
  const { requests, bytes, hits, misses, bot_requests, bot_bytes, statuses } = sum.figures()
  const named = (list: ReturnType<typeof sum.pages.list>) => list.slice(0, SHOWN)
  const paths = (list: ReturnType<typeof sum.pages.list>) =>
    named(list).map(([path, count]) => ({ path, count }))
  return {
    time_zone: 'UTC',
    ...span,
    counted_since: since,
    totals: {
      ...{ requests, visitors, bytes, hits, misses, bot_requests, bot_bytes },
      hit_rate: hits + misses === 0 ? null : hits / (hits + misses),
      statuses: classesOf(statuses),
    },
    days,
    statuses: Object.entries(statuses)
      .map(([status, count]) => ({ status, count }))
      .sort(byCount),
    pages: paths(sum.pages.list()),
    slow_pages: slowPages(sum),
    missing_pages: paths(sum.missing.list()),
    referrers: named(sum.referrers.list()).map(([host, count]) => ({ host, count })),
    bots: named(sum.bots.list()).map(([name, count]) => ({ name, count })),
  }
}
