import { z } from 'zod'
import { named } from '../frame/common-schemas.ts'

const count = () => z.int().nonnegative()
const day = () => z.string().describe('Such as 2026-11-24; days begin at midnight UTC.')

const statusClasses = z
  .object({ '1xx': count(), '2xx': count(), '3xx': count(), '4xx': count(), '5xx': count() })
  .describe('Answers by class of their status.')

const sums = {
  requests: count().describe('All of them, those of programs included.'),
  visitors: count().describe(
    'Different ones by address and browser on that day, without programs; an estimate with an error of about 2 % from 250 on. Nobody is known again on another day, so of several days it is the sum.',
  ),
  bytes: count().describe('Of response bodies.'),
  hits: count().describe('Requests for pages that the page cache answered.'),
  misses: count().describe('Requests for pages that it did not answer.'),
  bot_requests: count().describe('Of the requests, those of programs.'),
  bot_bytes: count(),
}
const counts = { ...sums, statuses: statusClasses }
const hitRate = () => z.number().min(0).max(1).nullable().describe('hits / (hits + misses).')

const path = () =>
  z
    .string()
    .describe('Without query; * stands for what looks like a token, a number or an address.')

const pages = () => z.array(z.object({ path: path(), count: count() }))

/** A site's visitors from one day to another. */
export const figuresSchema = named('SiteFigures', {
  time_zone: z.literal('UTC'),
  from: day(),
  to: day(),
  counted_since: day().nullable().describe('The first day that is kept; null before the first.'),
  totals: z.object({
    ...counts,
    hit_rate: hitRate(),
  }),
  days: z
    .array(z.object({ day: day(), ...counts }))
    .describe('Oldest first; days without requests are not there.'),
  statuses: z
    .array(
      z.object({ status: z.string().describe('Such as 404; odd ones as 4xx.'), count: count() }),
    )
    .describe('Most frequent first.'),
  pages: pages().describe('Asked for most by visitors.'),
  slow_pages: z
    .array(
      z.object({
        path: path(),
        count: count().describe('How often it was made, not answered from the page cache.'),
        mean_ms: count(),
        longest_ms: count(),
      }),
    )
    .describe('By their mean time, until the visitor had all of it.'),
  missing_pages: pages().describe('Asked for most by visitors and not found (404, 410).'),
  referrers: z
    .array(z.object({ host: z.string(), count: count() }))
    .describe('Sites that visitors came from.'),
  bots: z
    .array(
      z.object({
        name: z
          .string()
          .describe(
            'Of a fixed list; "other": calls itself one, "programs": no browser, "unnamed": says nothing.',
          ),
        count: count(),
      }),
    )
    .describe('Programs by what they call themselves.'),
})

/** The visitors of all sites of an account, from one day to another. */
export const accountFiguresSchema = named('AccountFigures', {
  time_zone: z.literal('UTC'),
  from: day(),
  to: day(),
  totals: z.object({ ...sums, hit_rate: hitRate() }),
  days: z
    .array(z.object({ day: day(), ...sums }))
    .describe('Oldest first; days without requests are not there.'),
  sites: z
    .array(z.object({ domain_name: z.string(), ...sums, hit_rate: hitRate() }))
    .describe('Most visited first; sites without requests are not there.'),
})
