import { dayNumber, dayText } from '#handlers/domain/figures/figures-day.ts'
import type { FiguresRow } from '#handlers/ports/store/figures-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'

const DAYS = 45

const detailsOf = (size: number) => {
  const count = (share: number): number => Math.max(1, Math.round(size * share))
  return {
    statuses: {
      200: count(0.82),
      304: count(0.09),
      301: count(0.02),
      404: count(0.05),
      403: count(0.01),
      500: count(0.002),
      '4xx': 1,
    },
    pages: [
      ['/', count(0.2)],
      ['/shop/', count(0.11)],
      ['/2026/11/how-we-made-the-best-bread-of-the-town/', count(0.06)],
      ['/caf%C3%A9/%E3%83%91%E3%83%B3', count(0.02)],
      [`/${'a-very-long-title-of-a-post-'.repeat(5)}...`, count(0.01)],
      ['/account/reset/*', 3],
    ],
    missing: [
      ['/favicon-old', count(0.01)],
      ['/blog/first-post', 4],
    ],
    referrers: [
      ['google.com', count(0.05)],
      ['bread-and-butter.example', count(0.01)],
    ],
    bots: [
      ['Googlebot', count(0.09)],
      ['programs', count(0.05)],
      ['other', count(0.02)],
      ['unnamed', 7],
    ],
    slow: [
      ['/shop/checkout/', count(0.01) * 1830, count(0.01), 4210],
      ['/wp-cron.php', 9200, 10, 1900],
      ['/search', 6400, 40, 350],
    ],
  }
}

/** Six weeks of visitors for every site but for one day in them, the first day after the sites were made. */
export const fillFigures = async (store: Store, nowMs: number): Promise<void> => {
  const { rows: domains } = await store.listDomains()
  const today = dayNumber(nowMs)
  for (const [index, { id }] of domains.entries()) {
    const days = Array.from({ length: DAYS }, (_, at) => today - at).filter(
      (day) => day !== today - 9,
    )
    const rows = days.map((day): FiguresRow => {
      const weekend = day % 7 < 2 ? 0.55 : 1
      const requests = Math.round(
        ((6200 + 1800 * Math.sin(day / 5)) * weekend) / (index * index + 1),
      )
      const asked = Math.round(requests * 0.4)
      const hits = Math.round(asked * (0.86 + 0.08 * Math.sin(day / 3)))
      return {
        ...{ domain_id: id, day: dayText(day), requests, hits, misses: asked - hits },
        ...{ visitors: Math.round(requests / 19), bytes: requests * 23_450 },
        ...{ bot_requests: Math.round(requests * 0.17), bot_bytes: requests * 1200 },
        ...{ details: JSON.stringify(detailsOf(requests)), sketch: null },
      }
    })
    await store.putFigures(null, rows)
  }
}
