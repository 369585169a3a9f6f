import type { PageCacheReport, SiteCacheReport } from '../../ports/host/cache/page-cache.ts'
import type { DomainView } from '../domains/domains.ts'
import type { Site } from '../virtual-hosts/virtual-hosts.ts'

/** Sums of the page cache; counters since the web server's start. */
export interface CacheFigures {
  requests: number
  hits: number
  /** Of the hits: served stale. */
  stale_hits: number
  misses: number
  bypasses: number
  /** Share of requests that were answered from the cache, to a tenth; null without requests. */
  hit_rate: number | null
  bytes_served: number
}

/** The page cache of one site. */
export interface SiteCacheView extends CacheFigures {
  domain: string
  domain_id: number
  account_id: number
  username: string
  /** Further domains that are names of the site. */
  aliases: string[]
  enabled: boolean
  ttl: number | null
  /** Pages that are stored, each variant counted; the memory of several workers may hold one more than once. */
  entries: number
  memory_bytes: number
  disk_bytes: number | null
}

/** The page cache of the whole server. */
export interface ServerCacheView extends CacheFigures {
  enabled: boolean
  storage: 'memory' | 'disk' | 'redis'
  default_ttl: number
  warms: boolean
  fault: string | null
  entries: number
  memory_bytes: number
  memory_limit_bytes: number | null
  lower_bytes: number | null
  lower_limit_bytes: number | null
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((total, one) => total + one, 0)

/** Counters of a site as few numbers; all 0 for one that nobody asked for. */
export const totalsOf = (
  report: SiteCacheReport | undefined,
): { hits: number; misses: number; bypasses: number } => ({
  hits: report?.hits ?? 0,
  misses: report?.misses ?? 0,
  bypasses: sum(report?.bypasses ?? {}),
})

const hitRate = (hits: number, requests: number): number | null =>
  requests === 0 ? null : Math.round((hits / requests) * 1000) / 10

const figures = (reports: readonly (SiteCacheReport | undefined)[]): CacheFigures => {
  const all = { requests: 0, hits: 0, stale_hits: 0, misses: 0, bypasses: 0, bytes_served: 0 }
  for (const report of reports) {
    const { hits, misses, bypasses } = totalsOf(report)
    all.requests += hits + misses + bypasses
    all.hits += hits
    all.misses += misses
    all.bypasses += bypasses
    all.stale_hits += report?.stale_hits ?? 0
    all.bytes_served += report?.bytes_served ?? 0
  }
  return { ...all, hit_rate: hitRate(all.hits, all.requests) }
}

/** `username` is the account's, `report` null where the web server does not run. */
export const siteCacheView = (
  { domain, aliases }: Site,
  username: DomainView['username'],
  report: PageCacheReport | null,
): SiteCacheView => {
  const own = report?.sites[domain.domain_name]
  return {
    domain: domain.domain_name,
    domain_id: domain.id,
    account_id: domain.account_id,
    username,
    aliases: aliases.map((alias) => alias.domain_name),
    enabled: domain.cache_enabled,
    ttl: domain.cache_ttl,
    ...figures([own]),
    entries: Math.max(own?.disk?.entries ?? 0, own?.memory.entries ?? 0),
    memory_bytes: own?.memory.bytes ?? 0,
    disk_bytes: own?.disk?.bytes ?? null,
  }
}

export const serverCacheView = (report: PageCacheReport): ServerCacheView => ({
  enabled: report.enabled,
  storage: report.storage,
  default_ttl: report.default_ttl,
  warms: report.warms,
  fault: report.lower_fault,
  ...figures(Object.values(report.sites)),
  entries: Math.max(report.lower?.entries ?? 0, report.memory?.entries ?? 0),
  memory_bytes: report.memory?.bytes ?? 0,
  memory_limit_bytes: report.memory?.limit_bytes ?? null,
  lower_bytes: report.lower?.bytes ?? null,
  lower_limit_bytes: report.lower?.limit_bytes ?? null,
})
