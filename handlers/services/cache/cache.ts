import { eachHost } from '../on-hosts/each-host.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { notFound } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { CachePlugin } from '../../ports/host/cache/cache-plugin.ts'
import type {
  PageCacheReport,
  PurgeOutcome,
  SitePurgeScope,
} from '../../ports/host/cache/page-cache.ts'
import type { CacheSample } from '../../ports/store/records.ts'
import type { CacheSampler } from './samples.ts'
import { createCacheSampler } from './samples.ts'
import { createCacheRateLimit } from './rate-limit.ts'
import type { ServerCacheView, SiteCacheView } from './view.ts'
import type { CacheInsight } from './insight.ts'
import { insightView } from './insight.ts'
import { serverCacheView, siteCacheView } from './view.ts'
import type { WarmResult } from './warm.ts'
import { createWarmSite } from './warm.ts'
import type { Domains, DomainSettings, DomainView } from '../domains/domains.ts'
import { foldAliases } from '../virtual-hosts/virtual-hosts.ts'
import { DOMAIN_NOT_FOUND, requireActiveAccount } from '../records/lookup.ts'
import type { ListQuery } from '../../ports/store/list-query.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Rules of a site's page cache; absent ones stay. */
export type CacheRules = Pick<
  DomainSettings,
  | 'cache_enabled'
  | 'cache_ttl'
  | 'cache_exclude'
  | 'cache_bypass_cookies'
  | 'cache_ignore_params'
  | 'cache_mobile_variant'
  | 'cache_harmless_cookies'
  | 'cache_session_cookies'
  | 'cache_application'
  | 'cache_fills'
>

/** Whose sites. */
type Whose = Pick<ListQuery, 'accountId' | 'resellerId'>

/** The page cache of the host, and of each site. */
export interface CacheOverview {
  /** Whether the web server answers; without it nothing is counted. */
  running: boolean
  server: ServerCacheView | null
  domains: SiteCacheView[]
}

/** The page cache of one site, with its rules. */
export interface CacheDetails {
  running: boolean
  site: SiteCacheView
  rules: DomainView
  /** What the server has where a rule is not set. */
  default_ttl: number | null
  warms: boolean
  bypass_reasons: Record<string, number>
  insight: CacheInsight | null
  /** Of the last 24 hours, in steps of five minutes; steps without requests are not there. */
  history: CacheSample[]
}

/** The page cache, site by site. A site is named by any of its names. */
export interface Cache extends CacheSampler {
  /** The record of the site that answers to a name; 404. An alias leads to its site, which belongs to the same account. */
  siteOf(name: string): Promise<DomainView>
  /** Of those accounts; without any named, of all and the server itself. */
  list(whose: Whose, options: { sites: boolean }): Promise<CacheOverview>
  /** 404 for a site that is gone meanwhile. */
  details(site: DomainView): Promise<CacheDetails>
  /** Null where the web server does not run: the site is purged when it starts. `cause`: see `NotedPurge`. */
  purge(site: DomainView, scope: SitePurgeScope, cause: string): Promise<PurgeOutcome | null>
  /** Pages of all sites; for administrators, so nobody counts how often. */
  purgeAll(): Promise<void>
  /** Forgets a cookie that the site was seen to set, or with null all of them; 404 where it was not. */
  forgetCookie(site: DomainView, name: string | null): Promise<void>
  /**
   * Resolves when all pages are through, after a quarter of an hour at the latest. 409 where
   * pages are not warmed, 429 when the account asks too often or the site is being warmed,
   * 503 when the web server does not run.
   */
  warm(
    site: DomainView,
    order: { urls: string[]; discover: boolean },
    report?: Report,
  ): Promise<WarmResult>
  /** The plugin `berth-cache` of the site's WordPress; null: no WordPress is there. */
  plugin(site: DomainView): Promise<CachePlugin | null>
  /** Puts it in place, or takes it away; pages are new then. 409 where no WordPress is, or the account is not active. */
  changePlugin(site: DomainView, installed: boolean): Promise<CachePlugin>
  /** Served by these rules when it resolves, without a page from before. */
  change(site: DomainView, rules: CacheRules): Promise<CacheDetails>
}

const PURGES_PER_MINUTE = 60
const WARMS_PER_MINUTE = 10

export const createCache = (deps: ServiceDeps, domains: Pick<Domains, 'change'>): Cache => {
  const { store, host, clock } = deps
  const purges = createCacheRateLimit(clock, PURGES_PER_MINUTE, 'purges')
  const warms = createCacheRateLimit(clock, WARMS_PER_MINUTE, 'warm-ups')
  const warmSite = createWarmSite(deps)

  const recordOf = async (name: string): Promise<DomainView | null> => {
    const known = await store.domainByName(name)
    if (known !== null || !name.startsWith('www.')) return known
    const bare = await store.domainByName(name.slice(4))
    const hasWww = bare?.domain_type === 'primary' || bare?.domain_type === 'addon'
    return hasWww ? bare : null
  }
  const sitesOf = async (whose: Whose) => {
    const { rows } = await store.listDomains(whose)
    const usernames = new Map(rows.map((row) => [row.account_id, row.username]))
    return foldAliases(rows).map((site) => ({
      site,
      username: usernames.get(site.domain.account_id) ?? '',
    }))
  }

  /** Which host each account is on, but for those of the panel's own machine. */
  const hostsOfAccounts = async (): Promise<ReadonlyMap<number, number>> => {
    if ((await host.present()).length === 1) return new Map()
    return new Map((await store.listAccounts()).rows.map(({ id, host_id }) => [id, host_id]))
  }
  /** By host: of one account its own, else of all that answer. */
  const reportsOf = async (
    accountId: number | undefined,
  ): Promise<ReadonlyMap<number, PageCacheReport | null>> => {
    const reports = new Map<number, PageCacheReport | null>()
    const account = accountId === undefined ? null : await store.accountById(accountId)
    if (account !== null) {
      // Its sites and their rules are on record all the same.
      if (await host.isAway(account.host_id)) return reports
      return reports.set(account.host_id, await host.of(account.host_id).pageCache.report())
    }
    await eachHost(deps, 'the page cache of a host was not asked', async (id, { pageCache }) => {
      reports.set(id, await pageCache.report())
    })
    return reports
  }

  const details = async (record: DomainView): Promise<CacheDetails> => {
    const [report, insight, history, sites, fresh] = await Promise.all([
      host.ofDomain(record.domain_name).pageCache.report(),
      host.pageCache.insight({ domain: record.domain_name }),
      store.cacheSamples(record.id),
      sitesOf({ accountId: record.account_id }),
      store.domainById(record.id),
    ])
    const known = sites.find(({ site }) => site.domain.id === record.id)
    if (known === undefined || fresh === null) throw notFound(DOMAIN_NOT_FOUND)
    return {
      running: report !== null,
      site: siteCacheView(known.site, known.username, report),
      rules: fresh,
      default_ttl: report?.default_ttl ?? null,
      warms: report?.warms ?? false,
      insight: insight && insightView(insight, report?.sites[record.domain_name]),
      bypass_reasons: report?.sites[record.domain_name]?.bypasses ?? {},
      history,
    }
  }

  return {
    ...createCacheSampler(deps),
    async siteOf(name) {
      const record = await recordOf(name.toLowerCase())
      if (record === null) throw notFound(DOMAIN_NOT_FOUND)
      if (record.domain_type !== 'alias') return record
      const sites = await sitesOf({ accountId: record.account_id })
      const own = sites.find(({ site }) => site.aliases.some(({ id }) => id === record.id))
      return own === undefined ? record : { ...own.site.domain, username: own.username }
    },
    async list(whose, options) {
      const [reports, hostIds, sites] = await Promise.all([
        reportsOf(whose.accountId),
        hostsOfAccounts(),
        options.sites ? sitesOf(whose) : [],
      ])
      const reportOf = (accountId: number): PageCacheReport | null =>
        reports.get(hostIds.get(accountId) ?? LOCAL_HOST) ?? null
      const own = reports.get(LOCAL_HOST) ?? null
      return {
        running: [...reports.values()].some((report) => report !== null),
        server: own === null || whose.accountId !== undefined ? null : serverCacheView(own),
        domains: sites.map(({ site, username }) =>
          siteCacheView(site, username, reportOf(site.domain.account_id)),
        ),
      }
    },
    details,
    async purge(site, scope, cause) {
      purges.count(site.account_id)
      return host.pageCache.purge({ domain: site.domain_name, scope, cause })
    },
    purgeAll: () =>
      eachHost(deps, 'pages of a host were not purged', (_, { webServer }) =>
        webServer.purge({ domains: [] }),
      ),
    async forgetCookie({ domain_name: domain }, name) {
      const { forgotten } = await host.pageCache.forgetCookie({ domain, name })
      // Of all cookies none is left, whether there was one or not.
      if (!forgotten && name !== null) throw notFound('The site was not seen to set this cookie.')
    },
    async warm(site, order, report) {
      warms.count(site.account_id)
      return warmSite(site.domain_name, order, report)
    },
    plugin: ({ domain_name }) => host.cachePlugin.find({ domain: domain_name }),
    async changePlugin({ domain_name, account_id }, installed) {
      await requireActiveAccount(store, account_id)
      return host.cachePlugin.change({ domain: domain_name, installed })
    },
    async change(site, rules) {
      await domains.change(site.id, rules)
      return details(site)
    },
  }
}
