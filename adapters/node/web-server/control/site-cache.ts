import { randomUUID } from 'node:crypto'
import {
  CLICK_IDS,
  hostTag,
  MAX_COUNTED_PAGES,
  purgeDomain,
  type PurgeScope,
  type SiteUsage,
  type Tally,
} from '#edge-cache/index.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { conflict, notFound } from '#handlers/errors.ts'
import type { CacheStatistics } from '#handlers/management/management-port.ts'
import { sitePurgeScopes } from '#handlers/management/site-purge.ts'
import type { WarmPort } from '#handlers/management/warm-port.ts'
import type {
  PageCacheReport,
  PurgeOutcome,
  SeenOften,
  SiteCacheInsight,
  SiteCacheReport,
  SitePurgeScope,
  WarmAccepted,
  WarmOrder,
  WarmProgress,
} from '#handlers/ports/host/cache/page-cache.ts'
import type { CookieLedger } from '../cookies/cookie-ledger.ts'
import type { SiteInsight } from '../observations/observation-ledger.ts'
import type { FoundVarying } from '../sampling/varying-ledger.ts'
import type { ToWorker } from '../workers/messages.ts'
import type { PurgeBudget } from './purge-budget.ts'
import {
  cookieReport,
  layerUsage,
  NO_USAGE,
  siteReport,
  sumUsage,
  together,
  variesReport,
} from './site-report.ts'

/** What the web server itself knows of a site. */
type SeenSite = Omit<SiteCacheInsight, 'account_cpu'>

/** The page cache as the panel's agent sees it; see `PageCachePort`. */
export interface SiteCache {
  report(): Promise<PageCacheReport>
  /**
   * Forgets a cookie that the site was seen to set, or with null all of them; whether
   * there was something to forget. It is learned again when the site sets it again.
   */
  forgetCookie(domain: string, name: string | null): Promise<{ forgotten: boolean }>
  insight(domain: string): Promise<SeenSite>
  purge(domain: string, scope: SitePurgeScope, cause?: string): Promise<PurgeOutcome>
  warm(order: WarmOrder): Promise<WarmAccepted>
  warmProgress(batch: string): WarmProgress | null
}

/** Whom a site's figures come from, and who carries out what is asked of it. */
export interface SiteCacheDeps {
  config(): ServerConfig
  statistics(): Promise<CacheStatistics>
  /** Asks all workers; those that do not answer in time are left out. */
  gather(body: ToWorker): Promise<unknown[]>
  /** Sites in the layer on the disk; null without one. */
  diskSites(): Promise<Record<string, SiteUsage> | null>
  diskPages(siteTag: string, scopes: readonly PurgeScope[]): Promise<Set<string>>
  /** The same that purges by the sites themselves are counted in. */
  budget: PurgeBudget
  purge(scopes: readonly PurgeScope[], cause: string): Promise<unknown>
  /** What was seen of the site's visitors, and its last purges. */
  insight(site: string): Promise<SiteInsight & Pick<SiteCacheInsight, 'purges' | 'worker_cpu'>>
  warm: WarmPort
  /** Which cookies sites were seen to set. */
  cookies: Pick<CookieLedger, 'get' | 'forget'>
  /** The application that was recognised in a site's document root; null: none. */
  recognised(domain: string): string | null
  /** How the site was found to answer by language or browser without saying so; null: it was not. */
  varying(domain: string): FoundVarying | null
}

/** Cookies and pages that are named of a site. */
const MAX_NAMED = 30

const seenOften = ([name, count]: Tally): SeenOften => ({ name, count })

/** However many look at the screen, workers and disk are asked no more often. */
const REPORT_MS = 500

/** Prefix of what an order is called in the warm queue. */
const TRIGGER = 'panel:'

export const createSiteCache = (deps: SiteCacheDeps): SiteCache => {
  const { config, budget } = deps
  const run = randomUUID()

  const siteOf = (domain: string): VirtualHostConfig => {
    const host = config().virtualhost.find((one) => one.domain === domain)
    if (host === undefined) throw notFound(`${domain} is no site of this web server.`)
    return host
  }
  const countPages = async (
    siteTag: string,
    scopes: readonly PurgeScope[],
  ): Promise<{ pages: number; at_least: boolean }> => {
    const [onDisk, inMemory] = await Promise.all([
      deps.diskPages(siteTag, scopes),
      deps.gather({ type: 'site-pages', siteTag, scopes }) as Promise<string[][]>,
    ])
    const pages = new Set(onDisk)
    for (const some of inMemory) for (const page of some) pages.add(page)
    return { pages: pages.size, at_least: pages.size >= MAX_COUNTED_PAGES }
  }

  const makeReport = async (): Promise<PageCacheReport> => {
    const [statistics, usage, disk] = await Promise.all([
      deps.statistics(),
      deps.gather({ type: 'site-usage' }) as Promise<Record<string, SiteUsage>[]>,
      deps.diskSites(),
    ])
    const memory = sumUsage(usage)
    const { cache, virtualhost } = config()
    const { l1, l2 } = statistics
    const isShared = cache.storage === 'memory'
    const site = ({ domain, cache: rule }: VirtualHostConfig): [string, SiteCacheReport] => {
      const tag = hostTag(domain)
      const counters = statistics.counters.hosts[domain]
      const below = disk && (disk[tag] ?? NO_USAGE)
      const own = memory.get(tag) ?? NO_USAGE
      const application = rule.application ?? deps.recognised(domain)
      const known = {
        ...cookieReport(deps.cookies.get(domain)),
        application: application === 'none' ? null : application,
        varies: variesReport(deps.varying(domain)),
      }
      if (below === null || !isShared)
        return [domain, { ...siteReport(counters, own, below), ...known }]
      const entries = Math.max(own.entries, below.entries)
      const both = { entries, bytes: own.bytes + below.bytes }
      return [domain, { ...siteReport(counters, both, null), ...known }]
    }
    return {
      run,
      enabled: cache.enable,
      storage: cache.storage,
      default_ttl: cache.default_ttl,
      memory: layerUsage(isShared ? (together(l1, l2) ?? l1 ?? l2) : l1),
      lower: layerUsage(isShared ? null : l2),
      lower_fault: statistics.l2State?.fault ?? null,
      warms: deps.warm.closed() === null,
      sites: Object.fromEntries(virtualhost.map(site)),
    }
  }
  let latest: { atMs: number; report: Promise<PageCacheReport> } | null = null

  return {
    report() {
      const atMs = performance.now()
      if (latest === null || atMs - latest.atMs > REPORT_MS) {
        const report = makeReport()
        latest = { atMs, report }
        report.catch(() => (latest = null))
      }
      return latest.report
    },
    async insight(domain) {
      siteOf(domain)
      const seen = await deps.insight(domain)
      const { sinceMs, reasons, clickIdsOnly, cookies, pages, purges, worker_cpu } = seen
      return {
        since_ms: sinceMs,
        reasons: reasons.map(seenOften),
        click_ids_only: clickIdsOnly,
        click_ids: [...CLICK_IDS],
        cookies: cookies.slice(0, MAX_NAMED).map(seenOften),
        pages: pages.slice(0, MAX_NAMED).map(([path, count, reason]) => ({ path, count, reason })),
        purges,
        worker_cpu,
      }
    },
    async purge(domain, scope, cause = 'panel') {
      const host = siteOf(domain)
      const asked = sitePurgeScopes(domain, [domain, ...host.aliases], scope)
      const widened = scope.kind !== 'all' && !budget.take(host.username ?? domain, asked.length)
      const scopes = widened ? purgeDomain(domain) : asked
      const counted = await countPages(hostTag(domain), scopes)
      await deps.purge(scopes, cause)
      latest = null
      return { ...counted, widened }
    },
    async forgetCookie(domain, name) {
      siteOf(domain)
      const forgotten = await deps.cookies.forget(domain, name === null ? null : name.toLowerCase())
      latest = null
      return { forgotten }
    },
    async warm({ domain, batch, urls, discover }) {
      siteOf(domain)
      const closed = deps.warm.closed()
      if (closed !== null) throw conflict(closed)
      const trigger = TRIGGER + batch
      const { queued, duplicates, rejected, deterministic } = await deps.warm.submit({
        urls,
        domain,
        trigger,
        deterministic: discover,
        only: domain,
      })
      return { queued, duplicates, rejected, finding: deterministic === 'running' }
    },
    warmProgress: (batch) => deps.warm.tally(TRIGGER + batch),
  }
}
