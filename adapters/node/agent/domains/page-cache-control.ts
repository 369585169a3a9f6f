import { z } from 'zod'
import type { AppError } from '#handlers/errors.ts'
import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type {
  PageCacheReport,
  PurgeOutcome,
  SiteCacheInsight,
  SitePurgeScope,
  WarmAccepted,
  WarmOrder,
  WarmProgress,
} from '#handlers/ports/host/cache/page-cache.ts'
import { unixFetch } from '../../process/unix-fetch.ts'
import { isAbsent, readFailure } from './web-control-errors.ts'

/** What the web server itself knows of a site. */
type SeenSite = Omit<SiteCacheInsight, 'account_cpu'>

const count = z.number().nonnegative()
const layer = z.object({ entries: count, bytes: count, limit_bytes: count }).nullable()
const usage = z.object({ entries: count, bytes: count })
const pages = z.array(z.object({ url: z.string(), reason: z.string() }))

const reportSchema: z.ZodType<PageCacheReport> = z.object({
  run: z.string().max(64),
  enabled: z.boolean(),
  storage: z.enum(['memory', 'disk', 'redis']),
  default_ttl: count,
  memory: layer,
  lower: layer,
  lower_fault: z.string().nullable(),
  warms: z.boolean(),
  sites: z.record(
    z.string(),
    z.object({
      hits: count,
      stale_hits: count,
      misses: count,
      bypasses: z.record(z.string(), count),
      bytes_served: count,
      memory: usage,
      disk: usage.nullable(),
      learned_cookies: z.array(z.object({ name: z.string(), learned_at: z.string() })),
      learned_full: z.boolean(),
      application: z.string().nullable(),
      varies: z
        .object({ since_ms: count, why: z.enum(['language', 'title', 'text']), page: z.string() })
        .nullable(),
    }),
  ),
})
const often = z.array(z.object({ name: z.string(), count }))
const insightSchema: z.ZodType<SeenSite> = z.object({
  since_ms: count,
  reasons: often,
  click_ids_only: count,
  click_ids: z.array(z.string()),
  cookies: often,
  pages: z.array(z.object({ path: z.string(), count, reason: z.string() })),
  purges: z.array(
    z.object({
      at_ms: count,
      scope: z.enum(['all', 'paths', 'tags', 'scripts']),
      items: z.array(z.string()),
      count,
      times: count,
      cause: z.string(),
    }),
  ),
  worker_cpu: z.array(z.object({ at_ms: count, ms: count })),
})
const purgeSchema: z.ZodType<PurgeOutcome> = z.object({
  pages: count,
  at_least: z.boolean(),
  widened: z.boolean(),
})
const forgetSchema = z.object({ forgotten: z.boolean() })
const warmSchema: z.ZodType<WarmAccepted> = z.object({
  queued: count,
  duplicates: count,
  rejected: pages,
  finding: z.boolean(),
})
const progressSchema: z.ZodType<WarmProgress | null> = z
  .object({
    queued: count,
    done: count,
    skipped: count,
    failed: count,
    finding: z.boolean(),
    problems: pages,
  })
  .nullable()

/** The page cache's part of the web primary's control socket; null where it does not run. */
export interface PageCacheControl {
  report(): Promise<PageCacheReport | null>
  insight(domain: string): Promise<SeenSite | null>
  purge(
    domain: string,
    scope: SitePurgeScope,
    cause: string | undefined,
  ): Promise<PurgeOutcome | null>
  forgetCookie(domain: string, name: string | null): Promise<{ forgotten: boolean } | null>
  warm(order: WarmOrder): Promise<WarmAccepted | null>
  warmProgress(batch: string): Promise<WarmProgress | null>
}

const LIMIT_MS = 30_000

const FAILURES: Readonly<Record<number, (text: string, field?: string) => AppError>> = {
  400: (text, field = 'scope') => invalid(field, text),
  404: notFound,
  409: (text) => conflict(text),
}

export const connectPageCache = (socketPath: string): PageCacheControl => {
  const send = unixFetch(socketPath, {
    timeoutMs: LIMIT_MS,
    maxBytes: 64 * 2 ** 20,
    unreachable: 'The web server does not answer. Look into its error log, then try again.',
  })
  /** Throws what the web server's answer says, in a status of the panel's. */
  const ask = async <T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<T | null> => {
    let response: Response
    try {
      response = await send(
        new Request(`http://web${path}`, {
          ...(body === null
            ? {}
            : {
                method: 'POST',
                body: JSON.stringify(body),
                headers: { 'content-type': 'application/json' },
              }),
        }),
      )
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
    if (response.status !== 200) {
      const { error, field } = await readFailure(response)
      throw (
        FAILURES[response.status]?.(error, field) ?? unavailable(`The page cache failed: ${error}`)
      )
    }
    const parsed = schema.safeParse(await response.json().catch(() => undefined))
    if (parsed.success) return parsed.data
    throw unavailable('The web server gave an answer that cannot be read. Look into its error log.')
  }
  return {
    report: () => ask('/cache', null, reportSchema),
    insight: (domain) => ask('/cache/insight', { domain }, insightSchema),
    purge: (domain, scope, cause) => ask('/cache/purge', { domain, scope, cause }, purgeSchema),
    forgetCookie: (domain, name) => ask('/cache/forget-cookie', { domain, name }, forgetSchema),
    warm: (order) => ask('/cache/warm', order, warmSchema),
    warmProgress: (batch) => ask('/cache/warm-progress', { batch }, progressSchema),
  }
}
