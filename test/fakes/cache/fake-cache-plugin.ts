import { conflict, notFound } from '#handlers/errors.ts'
import type { CachePluginPort, CachePluginState } from '#handlers/ports/host/cache/cache-plugin.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'

export interface FakeCachePlugin extends CachePluginPort {
  /** Sites (primary names) with a WordPress, and the plugin in it. */
  wordpress: Map<string, CachePluginState>
}

const PATH = 'public_html/wp-content/mu-plugins/berth-cache.php'

/** Plugins of sites that hold a WordPress only where a test says so. */
export const createFakeCachePlugin = (
  hosts: () => ReadonlyMap<string, VirtualHostSpec>,
  purge: (domain: string) => Promise<unknown>,
): FakeCachePlugin => {
  const wordpress = new Map<string, CachePluginState>()
  const stateOf = (domain: string): CachePluginState | null => {
    if (!hosts().has(domain)) throw notFound(`${domain} is no site of this panel.`)
    return wordpress.get(domain) ?? null
  }
  return {
    wordpress,
    async find({ domain }) {
      const state = stateOf(domain)
      return state && { path: PATH, state }
    },
    async change({ domain, installed }) {
      const state = stateOf(domain)
      if (state === null) throw conflict('No WordPress is in the document root of this site.')
      if (state === 'foreign') throw conflict('The file is not the plugin of Berth.')
      wordpress.set(domain, installed ? 'current' : 'none')
      await purge(domain)
      return { path: PATH, state: installed ? 'current' : 'none' }
    },
  }
}
