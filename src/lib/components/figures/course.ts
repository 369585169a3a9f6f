import type { SiteFigures } from '$lib/api/types'

const DAY_SECS = 86_400

/** What the charts of a site's visitors draw, one value a day. */
export interface FiguresCourse {
  /** Midnight (UTC) of each day, unix seconds. */
  times: number[]
  visitors: number[]
  people: number[]
  programs: number[]
  bytes: number[]
  /** Percent; null where no page was asked for. */
  hitRate: (number | null)[]
}

const secsOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000

/** The days from one to another, and the values of each; one that is not told of had no requests. */
export const daysOf = <Day extends { day: string }>(
  from: string,
  to: string,
  days: readonly Day[],
) => {
  const first = secsOf(from)
  const count = Math.max(0, Math.round((secsOf(to) - first) / DAY_SECS) + 1)
  const times = Array.from({ length: count }, (_, at) => first + at * DAY_SECS)
  const known = new Map(days.map((day) => [secsOf(day.day), day]))
  return {
    times,
    known,
    valuesOf: (value: (day: Day) => number): number[] =>
      times.map((time) => {
        const day = known.get(time)
        return day === undefined ? 0 : value(day)
      }),
  }
}

/** From the first day that was counted, or is asked for, to the last one; days that are not told of had no requests. */
export const courseOf = ({
  from,
  to,
  counted_since,
  days,
}: Pick<SiteFigures, 'from' | 'to' | 'counted_since' | 'days'>): FiguresCourse => {
  const first = counted_since !== null && counted_since > from ? counted_since : from
  const { times, known, valuesOf } = daysOf(first, to, days)
  return {
    times,
    visitors: valuesOf(({ visitors }) => visitors),
    people: valuesOf(({ requests, bot_requests }) => requests - bot_requests),
    programs: valuesOf(({ bot_requests }) => bot_requests),
    bytes: valuesOf(({ bytes }) => bytes),
    hitRate: times.map((time) => {
      const { hits = 0, misses = 0 } = known.get(time) ?? {}
      return hits + misses === 0 ? null : (hits / (hits + misses)) * 100
    }),
  }
}
