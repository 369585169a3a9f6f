import { discoverTargets, type DiscoverDeps } from './discover.ts'
import { resolveWarmUrl, type WarmHost, type WarmHosts } from './resolve-target.ts'
import type { WarmTarget } from '../address/warm-target.ts'

const firstOf = (url: string, of: WarmHost, hosts: WarmHosts): WarmTarget | null => {
  const found = resolveWarmUrl(url, null, hosts)
  const target = 'targets' in found ? found.targets[0] : undefined
  // Another host of ours is not this one's business.
  if (target === undefined || hosts.find(target.host)?.domain !== of.domain) return null
  return { host: target.host, path: target.path, secure: of.schemes !== 'http' }
}

/** The pages worth warming of one host, `max` at most; `read` gets its documents. */
export const discoverHost = (
  host: WarmHost,
  hosts: WarmHosts,
  { max, read }: Pick<DiscoverDeps, 'max' | 'read'>,
): Promise<WarmTarget[]> => {
  // A sitemap may lie on a path that is not cached.
  const uncached: WarmHosts = {
    ...hosts,
    find: (name) => {
      const found = hosts.find(name)
      return found && { ...found, cache: { ...found.cache, exclude: [] } }
    },
  }
  return discoverTargets({
    home: `${host.schemes === 'http' ? 'http' : 'https'}://${host.domain}/`,
    max,
    page: (url) => firstOf(url, host, hosts),
    document: (url) => firstOf(url, host, uncached),
    read,
  })
}
