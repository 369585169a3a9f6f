import type { CacheCounters, PageCacheCounters } from '../types.ts'

/** Counters of one page cache; `host` is a virtual host's primary domain. */
export interface Counting {
  /** `bytes` of body were served. */
  hit(host: string, bytes: number): void
  /** A hit that is stale; counted as a hit too. */
  staleHit(host: string, bytes: number): void
  /** A request that the cache might have answered went to the origin. */
  miss(host: string): void
  /** A request that the cache may not answer, with the reason as `Cache-Status` has it. */
  bypass(host: string, reason: string): void
  /** A page was stored. */
  store(host: string): void
  /** How many requests there were, and how many of them the cache answered. */
  tally(host: string): { hits: number; requests: number }
  /** A copy, with sums over all hosts. */
  read(): PageCacheCounters
}

const none = (): CacheCounters => ({
  hits: 0,
  staleHits: 0,
  misses: 0,
  bypasses: {},
  stores: 0,
  bytesServed: 0,
})

const add = (sum: CacheCounters, one: CacheCounters): void => {
  sum.hits += one.hits
  sum.staleHits += one.staleHits
  sum.misses += one.misses
  sum.stores += one.stores
  sum.bytesServed += one.bytesServed
  for (const [reason, count] of Object.entries(one.bypasses)) {
    sum.bypasses[reason] = (sum.bypasses[reason] ?? 0) + count
  }
}

/** Counts by host; sums are made when read. Hosts are those of the configuration, so they are bounded. */
export const createCounters = (): Counting => {
  const hosts = new Map<string, CacheCounters>()
  const of = (host: string): CacheCounters => {
    let own = hosts.get(host)
    if (own === undefined) hosts.set(host, (own = none()))
    return own
  }
  const hit = (host: string, bytes: number): CacheCounters => {
    const own = of(host)
    own.hits++
    own.bytesServed += bytes
    return own
  }
  return {
    hit: (host, bytes) => void hit(host, bytes),
    staleHit: (host, bytes) => void hit(host, bytes).staleHits++,
    miss: (host) => void of(host).misses++,
    bypass(host, reason) {
      const { bypasses } = of(host)
      bypasses[reason] = (bypasses[reason] ?? 0) + 1
    },
    store: (host) => void of(host).stores++,
    tally(host) {
      const { hits, misses, bypasses } = hosts.get(host) ?? none()
      const passed = Object.values(bypasses).reduce((sum, one) => sum + one, 0)
      return { hits, requests: hits + misses + passed }
    },
    read() {
      const sum = none()
      for (const own of hosts.values()) add(sum, own)
      const copies = [...hosts].map(
        ([host, own]) => [host, { ...own, bypasses: { ...own.bypasses } }] as const,
      )
      return { ...sum, hosts: Object.fromEntries(copies) }
    },
  }
}

/** Sums counters, e.g. of all workers. */
export const addCounters = (all: readonly PageCacheCounters[]): PageCacheCounters => {
  const sum = none()
  const hosts = new Map<string, CacheCounters>()
  for (const one of all) {
    add(sum, one)
    for (const [host, counters] of Object.entries(one.hosts)) {
      let own = hosts.get(host)
      if (own === undefined) hosts.set(host, (own = none()))
      add(own, counters)
    }
  }
  return { ...sum, hosts: Object.fromEntries(hosts) }
}
