import { conflict, notFound, unavailable } from '#handlers/errors.ts'
import { sitePurgeScopes } from '#handlers/management/site-purge.ts'
import type {
  PageCachePort,
  PageCacheReport,
  SiteCacheInsight,
  SiteCacheReport,
  SitePurgeScope,
  WarmProgress,
} from '#handlers/ports/host/cache/page-cache.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'

/** A page that the fake holds. */
export interface FakePage {
  /** Primary name of its site. */
  domain: string
  path: string
  tags: string[]
}

export interface FakePageCache extends PageCachePort {
  /** What is stored, for assertions and to begin with. */
  pages: FakePage[]
  counters: Map<string, Pick<SiteCacheReport, 'hits' | 'misses' | 'bypasses'>>
  /** Another value is another run of the web server. */
  run: string
  running: boolean
  warms: boolean
  purges: { domain: string; scope: SitePurgeScope; cause: string; at_ms: number }[]
  /** What was seen, by primary name; purges come from above. */
  seen: Map<string, Partial<Omit<SiteCacheInsight, 'purges'>>>
  /** What is known of sites, by primary name. */
  known: Map<
    string,
    Pick<SiteCacheReport, 'application' | 'learned_cookies' | 'learned_full' | 'varies'>
  >
}

/** Of a site that nobody asked for anything. */
const NOTHING_SEEN: SiteCacheInsight = {
  since_ms: 0,
  reasons: [],
  click_ids_only: 0,
  click_ids: ['utm_*', 'fbclid', 'gclid'],
  cookies: [],
  pages: [],
  purges: [],
  worker_cpu: [],
  account_cpu: null,
}
const NOTHING_KNOWN = { learned_cookies: [], learned_full: false, application: null, varies: null }

const matches = (page: FakePage, scope: SitePurgeScope): boolean => {
  if (scope.kind === 'all') return true
  if (scope.kind === 'tags') return scope.tags.some((tag) => page.tags.includes(tag.toLowerCase()))
  return scope.paths.some((path) =>
    path.endsWith('*') ? page.path.startsWith(path.slice(0, -1)) : page.path === path,
  )
}

export const createFakePageCache = (hosts: () => Map<string, VirtualHostSpec>): FakePageCache => {
  const batches = new Map<string, WarmProgress>()
  const hostOf = (domain: string): VirtualHostSpec => {
    const host = hosts().get(domain)
    if (host === undefined) throw notFound(`${domain} is no site of this panel.`)
    return host
  }
  /** The path that a URL means at the site; null for other hosts. */
  const pathOf = (url: string, { domain, aliases }: VirtualHostSpec): string | null => {
    if (url.startsWith('/')) return url
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (parsed === null || ![domain, ...aliases].includes(parsed.hostname)) return null
    return parsed.pathname
  }
  const cache: FakePageCache = {
    pages: [],
    counters: new Map(),
    run: 'first',
    running: true,
    warms: true,
    purges: [],
    seen: new Map(),
    known: new Map(),
    async insight({ domain }) {
      hostOf(domain)
      if (!cache.running) return null
      const purges = cache.purges
        .filter((purge) => purge.domain === domain)
        .map(({ scope, cause, at_ms }) => {
          const items =
            scope.kind === 'all' ? [] : scope.kind === 'paths' ? scope.paths : scope.tags
          const count = Math.max(1, items.length)
          return { at_ms, scope: scope.kind, items: items.slice(0, 5), count, times: 1, cause }
        })
      return { ...NOTHING_SEEN, ...cache.seen.get(domain), purges: purges.toReversed() }
    },
    async report() {
      if (!cache.running) return null
      const layer = {
        entries: cache.pages.length,
        bytes: cache.pages.length * 1000,
        limit_bytes: 1e9,
      }
      const site = (domain: string): [string, SiteCacheReport] => {
        const entries = cache.pages.filter((page) => page.domain === domain).length
        const usage = { entries, bytes: entries * 1000 }
        const counted = cache.counters.get(domain) ?? { hits: 0, misses: 0, bypasses: {} }
        return [
          domain,
          {
            ...counted,
            stale_hits: 0,
            bytes_served: counted.hits * 1000,
            memory: usage,
            disk: usage,
            ...(cache.known.get(domain) ?? NOTHING_KNOWN),
          },
        ]
      }
      return {
        run: cache.run,
        enabled: true,
        storage: 'disk',
        default_ttl: 3600,
        memory: layer,
        lower: layer,
        lower_fault: null,
        warms: cache.warms,
        sites: Object.fromEntries([...hosts().keys()].map(site)),
      } satisfies PageCacheReport
    },
    async purge({ domain, scope, cause = 'panel' }) {
      const { aliases } = hostOf(domain)
      sitePurgeScopes(domain, [domain, ...aliases], scope)
      cache.purges.push({ domain, scope, cause, at_ms: Date.now() })
      if (!cache.running) return null
      const left = cache.pages.filter((page) => page.domain !== domain || !matches(page, scope))
      const pages = cache.pages.length - left.length
      cache.pages = left
      return { pages, at_least: false, widened: false }
    },
    async forgetCookie({ domain, name }) {
      hostOf(domain)
      if (!cache.running)
        throw unavailable('The web server does not run, so no cookie is forgotten.')
      const site = cache.known.get(domain) ?? NOTHING_KNOWN
      const { learned_cookies: before, learned_full: full } = site
      const left = before.filter((one) => name !== null && one.name !== name.toLowerCase())
      const isNews = left.length < before.length || (name === null && full)
      cache.known.set(domain, {
        ...site,
        learned_cookies: left,
        learned_full: full && name !== null,
      })
      return { forgotten: isNews }
    },
    async warm({ domain, batch, urls, discover }) {
      const host = hostOf(domain)
      if (!cache.warms) throw conflict('Warming is off (cache.warm_enabled = false).')
      const paths = (discover ? ['/', ...urls] : urls).map(
        (url) => [url, pathOf(url, host)] as const,
      )
      const good = paths.flatMap(([, path]) => (path === null ? [] : [path]))
      cache.pages.push(...good.map((path) => ({ domain, path, tags: [] })))
      const ended = { skipped: 0, failed: 0, finding: false, problems: [] }
      batches.set(batch, { queued: good.length, done: good.length, ...ended })
      return {
        queued: good.length,
        duplicates: 0,
        rejected: paths.flatMap(([url, path]) =>
          path === null ? [{ url, reason: `${url} is no virtual host of this server` }] : [],
        ),
        finding: false,
      }
    },
    warmProgress: async ({ batch }) => batches.get(batch) ?? null,
  }
  return cache
}
