import { siteTagOf } from './tags.ts'
import type { CacheEntry } from './types.ts'

/** What a site has in one layer. */
export interface SiteUsage {
  entries: number
  bytes: number
}

/** Entries of a store by their site, so that one site is looked at without all others. */
export interface SiteIndex {
  add(entry: CacheEntry, bytes: number): void
  remove(entry: CacheEntry, bytes: number): void
  usage(): Record<string, SiteUsage>
  of(siteTag: string): Iterable<CacheEntry>
}

export const createSiteIndex = (): SiteIndex => {
  const sites = new Map<string, { entries: Set<CacheEntry>; bytes: number }>()
  return {
    add(entry, bytes) {
      const site = siteTagOf(entry.tags)
      let own = sites.get(site)
      if (own === undefined) sites.set(site, (own = { entries: new Set(), bytes: 0 }))
      own.entries.add(entry)
      own.bytes += bytes
    },
    remove(entry, bytes) {
      const site = siteTagOf(entry.tags)
      const own = sites.get(site)
      if (own?.entries.delete(entry) !== true) return
      own.bytes -= bytes
      if (own.entries.size === 0) sites.delete(site)
    },
    usage: () =>
      Object.fromEntries(
        [...sites].map(([site, own]) => [site, { entries: own.entries.size, bytes: own.bytes }]),
      ),
    of: (siteTag) => sites.get(siteTag)?.entries ?? [],
  }
}
