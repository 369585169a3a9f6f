import type { SiteDayCounts } from '../../ports/store/figures-store.ts'

/** Counts of a day, of a site or of both. */
export interface FiguresSums {
  requests: number
  visitors: number
  bytes: number
  hits: number
  misses: number
  bot_requests: number
  bot_bytes: number
}

/** The visitors of all sites of an account, from one day to another. */
export interface AccountFigures {
  time_zone: 'UTC'
  from: string
  to: string
  totals: FiguresSums & { hit_rate: number | null }
  /** Oldest first; a day without requests is not there. */
  days: (FiguresSums & { day: string })[]
  /** Most visited first; a site that nobody asked for anything is not there. */
  sites: (FiguresSums & { domain_name: string; hit_rate: number | null })[]
}

const nothing = (): FiguresSums => ({
  ...{ requests: 0, visitors: 0, bytes: 0, hits: 0, misses: 0, bot_requests: 0, bot_bytes: 0 },
})

const add = (sum: FiguresSums, row: FiguresSums): void => {
  sum.requests += row.requests
  sum.visitors += row.visitors
  sum.bytes += row.bytes
  sum.hits += row.hits
  sum.misses += row.misses
  sum.bot_requests += row.bot_requests
  sum.bot_bytes += row.bot_bytes
}

const sumsBy = (
  rows: readonly SiteDayCounts[],
  keyOf: (row: SiteDayCounts) => string,
): Map<string, FiguresSums> => {
  const sums = new Map<string, FiguresSums>()
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? nothing()
    add(sum, row)
    sums.set(keyOf(row), sum)
  }
  return sums
}

const rateOf = ({ hits, misses }: FiguresSums): number | null =>
  hits + misses === 0 ? null : hits / (hits + misses)

/** Adds the days of an account's sites up; visitors of different days or sites cannot be told apart, by design. */
export const accountFigures = (
  span: { from: string; to: string },
  rows: readonly SiteDayCounts[],
): AccountFigures => {
  const totals = nothing()
  for (const row of rows) add(totals, row)
  const days = [...sumsBy(rows, ({ day }) => day)].map(([day, sums]) => ({ day, ...sums }))
  const sites = [...sumsBy(rows, ({ domain_name }) => domain_name)]
    .map(([domain_name, sums]) => ({ domain_name, ...sums, hit_rate: rateOf(sums) }))
    .sort((a, b) => b.visitors - a.visitors || b.requests - a.requests)
  return { time_zone: 'UTC', ...span, totals: { ...totals, hit_rate: rateOf(totals) }, days, sites }
}
