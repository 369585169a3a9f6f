import type { CacheCounters } from './types.ts'

/** Counters of one page cache. */
export interface Counting {
  hit(bytes: number): void
  miss(): void
  bypass(reason: string): void
  store(): void
  read(): CacheCounters
}

export const createCounters = (): Counting => {
  let hits = 0
  let misses = 0
  let stores = 0
  let bytesServed = 0
  const bypasses: Record<string, number> = {}
  return {
    hit(bytes) {
      hits++
      bytesServed += bytes
    },
    miss: () => void misses++,
    bypass: (reason) => void (bypasses[reason] = (bypasses[reason] ?? 0) + 1),
    store: () => void stores++,
    read: () => ({ hits, misses, bypasses: { ...bypasses }, stores, bytesServed }),
  }
}

/** Sums counters, e.g. of all workers. */
export const addCounters = (all: readonly CacheCounters[]): CacheCounters => {
  const sum: CacheCounters = { hits: 0, misses: 0, bypasses: {}, stores: 0, bytesServed: 0 }
  for (const one of all) {
    sum.hits += one.hits
    sum.misses += one.misses
    sum.stores += one.stores
    sum.bytesServed += one.bytesServed
    for (const [reason, count] of Object.entries(one.bypasses)) {
      sum.bypasses[reason] = (sum.bypasses[reason] ?? 0) + count
    }
  }
  return sum
}
