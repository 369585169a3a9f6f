import type { CacheRule } from '../../../edge-cache/config.ts'
import type { VirtualHostConfig } from '../../domain/config/config-types.ts'

/** Which sites were found to answer by language or browser without saying so. */
export interface VaryingSites {
  /** By primary domain; counts for every request from now on. */
  put(site: string, varies: boolean): void
  /** The rule that counts at a virtual host: of a site that varies, only neutral requests fill pages. */
  ruleAt(vhost: VirtualHostConfig): CacheRule
}

/** `sites`: those that are known already. */
export const createVaryingSites = (sites: readonly string[] = []): VaryingSites => {
  const known = new Set(sites)
  /** Others keep what they judged by the rule. */
  const neutral = new WeakMap<CacheRule, CacheRule>()
  return {
    put(site, varies) {
      if (varies) known.add(site)
      else known.delete(site)
    },
    ruleAt({ domain, cache }) {
      // What the owner said stands.
      if (cache.fills !== 'auto' || !known.has(domain)) return cache
      let rule = neutral.get(cache)
      if (rule === undefined) neutral.set(cache, (rule = { ...cache, fills: 'neutral' }))
      return rule
    },
  }
}
