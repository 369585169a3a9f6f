import type { PageCache } from '#edge-cache/page-cache.ts'
import type { CacheEntry } from '#edge-cache/types.ts'
import type { VirtualHostConfig } from '#handlers/domain/config-types.ts'
import type { VirtualHostTable } from '#handlers/sites/virtual-host-table.ts'

/** What decides whether a virtual host's pages may be served the hot way. */
interface HotRules {
  exact: ReadonlySet<string>
  prefixes: readonly string[]
  secureOnly: boolean
}

/** Finds pages that can be answered without asking anything but the first cache layer. */
export interface HotWay {
  /** A live entry for `path` at the virtual host `host`; null sends the request the cold way. */
  find(host: string, path: string, secure: boolean): CacheEntry | null
}

const rulesOf = (host: VirtualHostConfig): HotRules | null => {
  if (host.suspended || !host.cache.enable) return null
  const patterns = host.cache.exclude
  return {
    exact: new Set(patterns.filter((pattern) => !pattern.endsWith('*'))),
    prefixes: patterns.filter((pattern) => pattern.endsWith('*')).map((text) => text.slice(0, -1)),
    secureOnly: host.redirect_https,
  }
}

/**
 * The hot way serves only what the virtual host table, asked for every request,
 * still allows: a known host, not suspended, cache on, no pending redirect to
 * https, path not excluded. So a reload closes a site on open connections too.
 */
export const createHotWay = (deps: {
  hosts: () => VirtualHostTable
  cache: PageCache | null
}): HotWay => {
  const { cache, hosts } = deps
  const known = new WeakMap<VirtualHostConfig, HotRules | { closed: true }>()
  if (cache === null) return { find: () => null }
  return {
    find: (name, path, secure) => {
      const host = hosts().find(name)
      if (host === null) return null
      let rules = known.get(host)
      if (rules === undefined) {
        rules = rulesOf(host) ?? { closed: true }
        known.set(host, rules)
      }
      if ('closed' in rules || (rules.secureOnly && !secure)) return null
      if (rules.exact.has(path)) return null
      for (const prefix of rules.prefixes) if (path.startsWith(prefix)) return null
      return cache.lookup(name, path, secure)
    },
  }
}
