import { z } from 'zod'
import type { FiguresBatch } from '#handlers/ports/host/figures.ts'
import type { SiteTest } from '#handlers/ports/host/web/site-test.ts'
import type { UpstreamState } from '#handlers/ports/host/web/upstream-state.ts'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import { siteTestOrder } from '#handlers/domain/site-test/order-schema.ts'
import { challengeChange, type ChallengeChange } from '../tls/challenges.ts'
import type { TrafficBatch } from '../traffic/traffic-ledger.ts'
import type { TestAnswer } from '../workers/messages.ts'
import { serveSiteCache } from './site-cache-app.ts'
import type { SiteCache } from './site-cache.ts'

/** What the control socket reaches in the primary. */
export interface ControlPort {
  /** Loads the configuration anew; resolves when all workers serve it, rejects with `ReloadError` when it is refused. */
  reload(): Promise<{ virtual_hosts: number; workers: number }>
  /** A reload that also replaces all workers; resolves when the new ones serve, while the old ones may still finish. */
  restart(): Promise<{ virtual_hosts: number; workers: number }>
  status(): Promise<{
    pid: number
    version: string
    uptime_secs: number
    workers: number
    virtual_hosts: number
    connections: number
    requests: number
    stalls: WorkerStall[]
  }>
  /** Sums over all workers since the start; within one `run` they never go down. */
  counters(): Promise<{ run: string; requests: number; hits: number; misses: number }>
  /** By how much each worker's event loop was late at most since the last call; watched while it is asked once a minute. */
  stalls(): Promise<{ workers: { longest_ms: number }[] }>
  /** What was sent since the batch that the caller has; see `TrafficLedger`. */
  takeTraffic(acknowledged: string | null): Promise<TrafficBatch>
  /** What was counted of sites' visitors since the batch that the caller has; see `FiguresLedger`. */
  takeFigures(acknowledged: string | null): Promise<FiguresBatch>
  /** Purges the pages of the named hosts; with none, everything. */
  purgeDomains(domains: string[]): Promise<{ sequence: number; workers: number }>
  /** What a request would come to at a site, asked of one worker; `absent`: none serves. */
  explain(test: SiteTest): Promise<TestAnswer | 'absent'>
  /** How addresses of applications fare, of all sites. */
  upstreams(): Promise<UpstreamState[]>
  /** Adds and removes answers to certificate authorities; resolves when all workers give them. */
  changeChallenges(change: ChallengeChange): Promise<void>
}

/** The new configuration is not usable; the old one stays in force. The message names file, line and key. */
export class ReloadError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ReloadError'
  }
}

const json = (data: unknown, status = 200): Response =>
  new Response(JSON.stringify(data), { status, headers: { 'content-type': 'application/json' } })

/** The body; undefined when there is none, null when it is no JSON. */
const readJson = async (request: Request): Promise<unknown> => {
  const text = await request.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const readDomains = async (request: Request): Promise<string[] | null> => {
  const body = await readJson(request)
  if (body === undefined) return []
  if (typeof body !== 'object' || body === null || !('domains' in body)) return null
  const { domains } = body
  if (!Array.isArray(domains)) return null
  return domains.every((domain): domain is string => typeof domain === 'string') ? domains : null
}

const NOT_EXPLAINED = {
  'not-there': [404, 'The web server has no site of that name.'],
  'not-of-site': [400, 'The address is not one of the site.'],
  busy: [503, 'The rules of the site cost more than they may at present. Try again in a second.'],
  absent: [503, 'No worker of the web server serves at present. Try again in a moment.'],
} as const

const explain = async (port: ControlPort, body: unknown): Promise<Response> => {
  const parsed = siteTestOrder.safeParse(body)
  if (!parsed.success) return json({ error: z.prettifyError(parsed.error) }, 400)
  const answer = await port.explain(parsed.data)
  if (typeof answer === 'object') return json(answer)
  const [status, error] = NOT_EXPLAINED[answer]
  return json({ error, ...(status === 400 ? { field: 'url' } : {}) }, status)
}

/** Handler of `web.sock`; who may connect is decided by the socket's owner and mode. */
export const createControlApp =
  (port: ControlPort, cache: SiteCache): ((request: Request) => Promise<Response>) =>
  async (request) => {
    const { pathname } = new URL(request.url)
    const route = `${request.method} ${pathname}`
    if (route === 'GET /status') return json(await port.status())
    if (route === 'GET /counters') return json(await port.counters())
    if (route === 'GET /stalls') return json(await port.stalls())
    if (route === 'POST /reload' || route === 'POST /restart') {
      try {
        return json(await (pathname === '/restart' ? port.restart() : port.reload()))
      } catch (error) {
        if (!(error instanceof ReloadError)) throw error
        return json({ error: error.message }, 422)
      }
    }
    if (route === 'POST /purge') {
      const domains = await readDomains(request)
      if (domains === null) {
        return json({ error: 'The body must be {"domains":["example.com"]}; [] purges all.' }, 400)
      }
      return json(await port.purgeDomains(domains))
    }
    if (route === 'POST /challenges') {
      const parsed = challengeChange.safeParse(await request.json().catch(() => null))
      if (!parsed.success) return json({ error: z.prettifyError(parsed.error) }, 400)
      await port.changeChallenges(parsed.data)
      return json({})
    }
    if (route === 'POST /upstreams') {
      const parsed = z.object({ domain: z.string() }).safeParse(await readJson(request))
      if (!parsed.success) return json({ error: z.prettifyError(parsed.error) }, 400)
      const all = await port.upstreams()
      return json({ upstreams: all.filter(({ domain }) => domain === parsed.data.domain) })
    }
    if (route === 'POST /explain') return explain(port, await readJson(request))
    if (route === 'POST /traffic' || route === 'POST /figures') {
      const body = await readJson(request)
      const named = typeof body === 'object' && body !== null && 'acknowledged' in body
      const acknowledged = named ? body.acknowledged : null
      if (acknowledged !== null && typeof acknowledged !== 'string')
        return json({ error: 'The body must be {"acknowledged":"<batch>"} or nothing.' }, 400)
      return json(
        await (pathname === '/figures'
          ? port.takeFigures(acknowledged)
          : port.takeTraffic(acknowledged)),
      )
    }
    const answered = await serveSiteCache(request, route, cache)
    if (answered !== null) return answered
    return json(
      {
        error:
          'Use GET /status, GET /counters, GET /stalls, GET /cache, or POST to /reload, /restart, /traffic, /figures, /purge, /explain, /upstreams, /challenges, /cache/purge, /cache/insight, /cache/forget-cookie, /cache/warm or /cache/warm-progress.',
      },
      404,
    )
  }
