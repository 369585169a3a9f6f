import { z } from 'zod'
import { figuresBatchSchema } from '#handlers/domain/figures/figures-batch.ts'
import { upstreamStateSchema } from '#handlers/domain/upstreams/upstream-state-schema.ts'
import { siteTestResult } from '#handlers/domain/site-test/result-schema.ts'
import { invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { FiguresBatch } from '#handlers/ports/host/figures.ts'
import type { UpstreamState } from '#handlers/ports/host/web/upstream-state.ts'
import type { SiteTest, SiteTestResult } from '#handlers/ports/host/web/site-test.ts'
import type { TrafficBatch, WebServerCounters } from '#handlers/ports/host/web-server.ts'
import { unixFetch } from '../../process/unix-fetch.ts'
import { errorText, isAbsent, readFailure } from './web-control-errors.ts'

const statusSchema = z.object({
  version: z.string(),
  pid: z.int().positive(),
  uptime_secs: z.number(),
  workers: z.number(),
  virtual_hosts: z.number(),
  stalls: z.array(
    z.object({
      at: z.string(),
      secs: z.number(),
      ended: z.boolean(),
      site: z.string().nullable(),
      method: z.string().nullable(),
      target: z.string().nullable(),
      part: z.enum(['request', 'rules']).nullable(),
      held: z.boolean(),
    }),
  ),
})
/** What the web primary says of itself. */
export type WebStatus = z.infer<typeof statusSchema>

export type ReloadOutcome =
  | { kind: 'done' }
  /** Nothing listens: it reads the configuration when it starts. */
  | { kind: 'absent' }
  | { kind: 'refused'; error: string }

/** The web primary's control socket. */
export interface WebControl {
  /** 503 when it listens but does not answer in time. */
  reload(): Promise<ReloadOutcome>
  /** As `reload`, with new workers for all sites. */
  restart(): Promise<ReloadOutcome>
  /** Null when it does not run. */
  status(): Promise<WebStatus | null>
  /** Null when it does not run. */
  counters(): Promise<WebServerCounters | null>
  /** See `TrafficBatch`; null when it does not run. */
  takeTraffic(acknowledged: string | null): Promise<TrafficBatch | null>
  /** See `FiguresBatch`; null when it does not run. */
  takeFigures(acknowledged: string | null): Promise<FiguresBatch | null>
  /** What a request would come to; null when it does not run. See `WebServerPort`. */
  explain(test: SiteTest): Promise<SiteTestResult | null>
  /** How the addresses of a site's backends fare; null when it does not run. */
  upstreams(domain: string): Promise<UpstreamState[] | null>
  /** False when it does not run, in which case nothing is cached in memory. */
  purge(domains: readonly string[]): Promise<boolean>
  /** Answers to certificate authorities, in force when it resolves; false when it does not run. */
  challenges(change: {
    put: { token: string; content: string }[]
    remove: string[]
  }): Promise<boolean>
}

const countersSchema = z.object({
  run: z.string().max(64),
  requests: z.number().nonnegative(),
  hits: z.number().nonnegative(),
  misses: z.number().nonnegative(),
})

const upstreamsSchema = z.object({ upstreams: z.array(upstreamStateSchema).max(10_000) })

const trafficSchema = z.object({
  batch: z.string().max(64),
  bytes: z.record(z.string(), z.number().nonnegative()),
})

const RELOAD_LIMIT_MS = 30_000
const STATUS_LIMIT_MS = 3_000
/** Longer than the primary waits for a worker. */
const EXPLAIN_LIMIT_MS = 12_000

export const connectWebControl = (socketPath: string): WebControl => {
  const call = async (
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    timeoutMs: number,
  ): Promise<Response | null> => {
    const send = unixFetch(socketPath, {
      timeoutMs,
      maxBytes: 16 * 2 ** 20,
      unreachable: 'The web server does not answer. Look into its error log, then try again.',
    })
    const request = new Request(`http://web${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    try {
      return await send(request)
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  const renew = async (action: 'reload' | 'restart'): Promise<ReloadOutcome> => {
    const response = await call('POST', `/${action}`, undefined, RELOAD_LIMIT_MS)
    if (response === null) return { kind: 'absent' }
    if (response.status === 200) return { kind: 'done' }
    const error = await errorText(response)
    if (response.status === 422) return { kind: 'refused', error }
    throw unavailable(`The web server could not ${action}: ${error}`)
  }

  return {
    reload: () => renew('reload'),
    restart: () => renew('restart'),
    async status() {
      const response = await call('GET', '/status', undefined, STATUS_LIMIT_MS)
      if (response?.status !== 200) return null
      const parsed = statusSchema.safeParse(await response.json().catch(() => null))
      return parsed.success ? parsed.data : null
    },
    async counters() {
      const response = await call('GET', '/counters', undefined, STATUS_LIMIT_MS)
      if (response === null) return null
      const parsed = countersSchema.safeParse(await response.json().catch(() => null))
      if (response.status !== 200 || !parsed.success)
        throw unavailable(
          'The web server did not tell what it has counted. Look into its error log.',
        )
      return parsed.data
    },
    async challenges(change) {
      const response = await call('POST', '/challenges', change, RELOAD_LIMIT_MS)
      if (response === null) return false
      if (response.status !== 200)
        throw unavailable(`The web server took no challenge: ${await errorText(response)}`)
      return true
    },
    async takeTraffic(acknowledged) {
      const response = await call('POST', '/traffic', { acknowledged }, STATUS_LIMIT_MS)
      if (response === null) return null
      const parsed = trafficSchema.safeParse(await response.json().catch(() => null))
      if (response.status !== 200 || !parsed.success)
        throw unavailable(
          'The web server did not tell what its sites have sent. Look into its error log.',
        )
      return parsed.data
    },
    async takeFigures(acknowledged) {
      const response = await call('POST', '/figures', { acknowledged }, STATUS_LIMIT_MS)
      if (response === null) return null
      const parsed = figuresBatchSchema.safeParse(await response.json().catch(() => null))
      if (response.status !== 200 || !parsed.success)
        throw unavailable(
          'The web server did not tell what it has counted of visitors. Look into its error log.',
        )
      return parsed.data
    },
    async explain(test) {
      const response = await call('POST', '/explain', test, EXPLAIN_LIMIT_MS)
      if (response === null) return null
      if (response.status === 200) {
        const parsed = siteTestResult.safeParse(await response.json().catch(() => null))
        if (parsed.success) return parsed.data
        throw unavailable('The web server answered something else. Look into its error log.')
      }
      const { error, field } = await readFailure(response)
      if (response.status === 400) throw invalid(field ?? 'url', error)
      throw response.status === 404 ? notFound(error) : unavailable(error)
    },
    async upstreams(domain) {
      const response = await call('POST', '/upstreams', { domain }, STATUS_LIMIT_MS)
      if (response === null) return null
      const parsed = upstreamsSchema.safeParse(await response.json().catch(() => null))
      if (response.status !== 200 || !parsed.success)
        throw unavailable('The web server did not tell how backends fare. Look into its error log.')
      return parsed.data.upstreams
    },
    async purge(domains) {
      const response = await call('POST', '/purge', { domains }, RELOAD_LIMIT_MS)
      if (response === null) return false
      if (response.status !== 200)
        throw unavailable(`The page cache could not be purged: ${await errorText(response)}`)
      return true
    },
  }
}
