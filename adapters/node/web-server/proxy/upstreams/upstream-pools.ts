import { applicationsOf } from '#handlers/domain/config/proxy/backends.ts'
import type { ProxyRule, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { UpstreamState } from '#handlers/management/upstream-state.ts'
import { UpstreamPool } from './upstream-pool.ts'

/** The applications that have several addresses, as one worker sees them. */
export interface UpstreamPools {
  /** Those of a rule that has several. */
  of(vhost: VirtualHostConfig, rule: ProxyRule): UpstreamPool
  /** Keeps what is known of addresses that are still configured, and forgets the others. */
  review(hosts: Iterable<VirtualHostConfig>): void
  /** Those that are configured. */
  all(): Iterable<UpstreamPool>
  states(): UpstreamState[]
}

const keyOf = ({ domain }: VirtualHostConfig, rule: ProxyRule): string =>
  JSON.stringify([domain, rule])

export const createUpstreamPools = (): UpstreamPools => {
  let pools = new Map<string, UpstreamPool>()
  /** So that no request spells out its key. */
  const byRule = new WeakMap<ProxyRule, UpstreamPool>()
  return {
    of: (vhost, rule) => {
      const known = byRule.get(rule)
      if (known !== undefined) return known
      // A request that began before its host was changed has a rule that is configured no more.
      const pool = pools.get(keyOf(vhost, rule)) ?? new UpstreamPool(vhost, rule)
      byRule.set(rule, pool)
      return pool
    },
    review: (hosts) => {
      const kept = new Map<string, UpstreamPool>()
      for (const host of hosts) {
        if (host.proxy === null && host.backends === undefined) continue
        for (const { rule } of applicationsOf(host)) {
          if (rule.upstreams === undefined) continue
          const key = keyOf(host, rule)
          const pool = pools.get(key) ?? byRule.get(rule) ?? new UpstreamPool(host, rule)
          pool.vhost = host
          kept.set(key, pool)
          byRule.set(rule, pool)
        }
      }
      pools = kept
    },
    all: () => pools.values(),
    states: () => [...pools.values()].flatMap((pool) => pool.states()),
  }
}
