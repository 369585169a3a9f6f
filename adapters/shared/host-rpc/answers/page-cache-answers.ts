import { z } from 'zod'
import { change, few, line, many, mapOf, read, short, SLOW_SECS } from './answer-shapes.ts'

const layerUsageAnswer = z.object({
  entries: z.number(),
  bytes: z.number(),
  limit_bytes: z.number(),
})

const siteLayerUsageAnswer = z.object({ entries: z.number(), bytes: z.number() })

const learnedCookieAnswer = z.object({ name: short, learned_at: line })

const foundToVaryAnswer = z.object({
  since_ms: z.number(),
  why: z.enum(['language', 'title', 'text']),
  page: line,
})

const siteCacheReportAnswer = z.object({
  hits: z.number(),
  stale_hits: z.number(),
  misses: z.number(),
  bypasses: mapOf(z.number()),
  bytes_served: z.number(),
  memory: siteLayerUsageAnswer,
  disk: siteLayerUsageAnswer.nullable(),
  learned_cookies: many(learnedCookieAnswer),
  learned_full: z.boolean(),
  application: line.nullable(),
  varies: foundToVaryAnswer.nullable(),
})

const pageCacheReportAnswer = z.object({
  run: line,
  enabled: z.boolean(),
  storage: z.enum(['disk', 'memory', 'redis']),
  default_ttl: z.number(),
  memory: layerUsageAnswer.nullable(),
  lower: layerUsageAnswer.nullable(),
  lower_fault: line.nullable(),
  warms: z.boolean(),
  sites: mapOf(siteCacheReportAnswer),
})

const seenOftenAnswer = z.object({ name: short, count: z.number() })

const notedPurgeAnswer = z.object({
  at_ms: z.number(),
  scope: z.enum(['all', 'paths', 'tags', 'scripts']),
  items: many(line),
  count: z.number(),
  times: z.number(),
  cause: line,
})

const cpuMinuteAnswer = z.object({ at_ms: z.number(), ms: z.number() })

const siteCacheInsightAnswer = z.object({
  since_ms: z.number(),
  reasons: many(seenOftenAnswer),
  click_ids_only: z.number(),
  click_ids: few(line),
  cookies: many(seenOftenAnswer),
  pages: many(z.object({ path: line, count: z.number(), reason: line })),
  purges: many(notedPurgeAnswer),
  worker_cpu: many(cpuMinuteAnswer),
  account_cpu: many(cpuMinuteAnswer).nullable(),
})

const purgeOutcomeAnswer = z.object({
  pages: z.number(),
  at_least: z.boolean(),
  widened: z.boolean(),
})

const warmAcceptedAnswer = z.object({
  queued: z.number(),
  duplicates: z.number(),
  rejected: many(z.object({ url: line, reason: line })),
  finding: z.boolean(),
})

const warmProgressAnswer = z.object({
  queued: z.number(),
  done: z.number(),
  skipped: z.number(),
  failed: z.number(),
  finding: z.boolean(),
  problems: many(z.object({ url: line, reason: line })),
})

const cachePluginStateAnswer = z.enum(['none', 'current', 'other', 'foreign'])

const cachePluginAnswer = z.object({ path: line, state: cachePluginStateAnswer })

/** Answers about the page cache and its plugins, by port and method. */
export const PAGE_CACHE_ANSWERS = {
  pageCache: {
    report: read(pageCacheReportAnswer.nullable()),
    insight: read(siteCacheInsightAnswer.nullable()),
    purge: change(purgeOutcomeAnswer.nullable()),
    forgetCookie: change(z.object({ forgotten: z.boolean() })),
    warm: change(warmAcceptedAnswer),
    warmProgress: read(warmProgressAnswer.nullable()),
  },
  cachePlugin: {
    find: read(cachePluginAnswer.nullable(), { limitSecs: SLOW_SECS }),
    change: change(cachePluginAnswer),
  },
}
