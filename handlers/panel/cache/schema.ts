import { z } from 'zod'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

const figures = {
  requests: count().describe("Since the web server's start, as all counters."),
  hits: count(),
  stale_hits: count().describe('Of the hits: stale pages, while refreshed or in place of errors.'),
  misses: count(),
  bypasses: count().describe(
    'Requests that the page cache does not answer, e.g. of known visitors.',
  ),
  hit_rate: z
    .number()
    .nullable()
    .describe('Percent of requests that were answered from the cache; null without requests.'),
  bytes_served: count(),
}

const siteCacheSchema = named('SiteCache', {
  domain: z.string(),
  domain_id: recordId(),
  account_id: recordId(),
  username: z.string(),
  aliases: z.array(z.string()).describe('Further domains that are names of the site.'),
  enabled: z.boolean(),
  ttl: count().nullable().describe("Seconds; null: the server's."),
  ...figures,
  entries: count().describe('Stored pages, each variant counted.'),
  memory_bytes: count(),
  disk_bytes: count().nullable().describe('Null where no layer on the disk tells.'),
})

const serverCacheSchema = named('ServerCache', {
  enabled: z.boolean(),
  storage: z.enum(['memory', 'disk', 'redis']),
  default_ttl: count(),
  warms: z.boolean().describe('Whether pages may be warmed.'),
  fault: z.string().nullable().describe('Why the second layer is off.'),
  ...figures,
  entries: count(),
  memory_bytes: count(),
  memory_limit_bytes: count().nullable(),
  lower_bytes: count().nullable(),
  lower_limit_bytes: count().nullable(),
})

/** The page cache of all sites that the caller may see. */
export const cacheOverviewSchema = z.object({
  running: z.boolean().describe('Whether the web server answers.'),
  server: serverCacheSchema.nullable().describe('Of the whole server; for administrators.'),
  domains: z.array(siteCacheSchema),
})

/** Rules of a site. */
const cacheRulesSchema = named('CacheRules', {
  enabled: z.boolean(),
  ttl: count().nullable(),
  exclude: z.array(z.string()),
  bypass_cookies: z.array(z.string()).nullable(),
  ignore_params: z.array(z.string()).nullable(),
  mobile_variant: z.boolean().nullable(),
  harmless_cookies: z.array(z.string()),
  session_cookies: z.array(z.string()),
  application: z.string().nullable(),
  fills: z.enum(['auto', 'visitor', 'neutral']),
})

const often = z.array(z.object({ name: z.string(), count: count() }))

const cpuMinutes = () => z.array(z.object({ at: timestamp(), ms: count() }))

/** Why visitors of one site are not served from its cache. */
const cacheInsightSchema = named('SiteCacheInsight', {
  since: timestamp().describe('What was seen before is not in here: 18 to 24 hours ago.'),
  unserved: count().describe('Requests for pages (GET, HEAD) that the cache did not answer.'),
  files: count().describe('Requests for images, styles, scripts; in no other figure.'),
  reasons: z
    .array(z.object({ reason: z.string(), count: count() }))
    .describe('As in Cache-Status, or why the answer could not be stored.'),
  cookies: often.describe('Requests that a cookie of this name kept from the cache.'),
  application_cookies: z
    .array(z.string())
    .describe('Cookies named here by which the application knows its visitors.'),
  pages: z.array(z.object({ path: z.string(), count: count(), reason: z.string() })),
  click_ids_only: count().describe('Requests past the cache for nothing but click ids.'),
  click_ids: z.array(z.string()).describe('Query parameters that count as such.'),
  application: z.string().nullable().describe('Chosen, or recognised in the document root.'),
  learned_cookies: z
    .array(z.string())
    .describe('Cookies that the site was seen to set; their owners get no page of the cache.'),
  learned_full: z
    .boolean()
    .describe('Whether there were too many: all that are not known as harmless count then.'),
  varies: z
    .object({
      since: timestamp(),
      why: z
        .enum(['language', 'title', 'text'])
        .describe('In what the page of a visitor was another one than neutral requests get.'),
      page: z.string().describe('Path of the page that showed it.'),
    })
    .nullable()
    .describe(
      'Set where pages depend on the language or the browser without saying so; while the rule fills is auto, neutral requests fill them.',
    ),
  applications: z.array(z.string()).describe('What the rule application may name.'),
  purges: z
    .array(
      z.object({
        at: timestamp(),
        scope: z.enum(['all', 'paths', 'tags', 'scripts']),
        items: z.array(z.string()).describe('The first few paths, tags, or scripts.'),
        count: count(),
        times: count().describe('How often it was made, one after the other.'),
        cause: z
          .string()
          .describe('A word, and after a colon who or what it was, e.g. panel:lena, php.'),
      }),
    )
    .describe('Latest first.'),
  worker_cpu: cpuMinutes().describe(
    "Processor time of the web server's workers for the site, in steps of 10 ms, by minute of the last hour; minutes without are not there.",
  ),
  account_cpu: cpuMinutes()
    .nullable()
    .describe(
      "The same of PHP, CGI and all else that runs as the site's account, whatever site it is for; null where accounts share a user.",
    ),
})

/** The page cache of one site. */
export const cacheDetailsSchema = named('SiteCacheDetails', {
  running: z.boolean(),
  site: siteCacheSchema,
  rules: cacheRulesSchema,
  default_ttl: count().nullable().describe("The server's; null while it does not answer."),
  warms: z.boolean(),
  insight: cacheInsightSchema
    .nullable()
    .describe('Why visitors are not served from the cache; null while the web server is down.'),
  bypass_reasons: z
    .record(z.string(), count())
    .describe('Requests past the cache by reason, e.g. cookie, query.'),
  history: z
    .array(z.object({ at: timestamp(), hits: count(), misses: count(), bypasses: count() }))
    .describe('Steps of five minutes over 24 hours; those without requests are not there.'),
})

/** What a purge did. */
export const purgeSchema = z.object({
  purged: z.literal(true),
  pages: count()
    .nullable()
    .describe('Pages that were stored; null while the web server does not run.'),
  at_least: z.boolean().describe('Whether there were more than could be counted.'),
  widened: z
    .boolean()
    .describe('Whether the whole site was purged, because single pages were purged too often.'),
})

/** What forgetting learned cookies did. */
export const forgottenSchema = z.object({ forgotten: z.literal(true) })

const urls = z.array(z.object({ url: z.string(), reason: z.string() }))

/** What warming did. */
export const warmSchema = named('CacheWarm', {
  done: count(),
  skipped: count(),
  failed: count(),
  duplicates: count().describe('Warmed a moment ago, or under way.'),
  rejected: urls.describe('What is no page of the site.'),
  problems: urls.describe('Latest pages that were skipped or failed.'),
  finished: z.boolean().describe('False where the rest goes on by itself.'),
})

/** The plugin of a site's WordPress. */
export const pluginSchema = named('CachePlugin', {
  path: z.string().describe('Of its file, relative to the home.'),
  state: z
    .enum(['none', 'current', 'other', 'foreign'])
    .describe(
      'none: not there; current: as this installation has it; other: another edition of it; foreign: a file of that name that is not ours.',
    ),
})
