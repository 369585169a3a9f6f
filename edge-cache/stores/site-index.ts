import { NumberColumn } from './number-column.ts'
import { siteTagOf } from '../purge/tags.ts'
import type { CacheEntry } from '../types.ts'

/** What a site has in one layer. */
export interface SiteUsage {
  entries: number
  bytes: number
}

/** Entries of a store by their site, so that one site is looked at without all others. */
export interface SiteIndex {
  /** `place`: a small number that is the entry's alone while it is here. */
  add(place: number, entry: CacheEntry, bytes: number): void
  /** With the same numbers as `add`; an entry that is not here is left alone. */
  remove(place: number, entry: CacheEntry, bytes: number): void
  /** By host tag of the site's primary domain. */
  usage(): Record<string, SiteUsage>
  /** Oldest first; ends early where the one just given is removed meanwhile. */
  of(siteTag: string): Iterable<CacheEntry>
}

interface Site {
  entries: number
  bytes: number
  first: number
  last: number
}

const NOWHERE = -1
/** Behind a place whose entry was removed. */
const GONE = -2

/**
 * Each site's entries are a list through two columns of numbers: a set of a million
 * entries would hold everybody up whenever it grows.
 *
 * `entryAt`: the entry that has the place.
 */
export const createSiteIndex = (entryAt: (place: number) => CacheEntry | null): SiteIndex => {
  const sites = new Map<string, Site>()
  const next = new NumberColumn()
  const before = new NumberColumn()

  function* walk(site: Site | undefined): Iterable<CacheEntry> {
    for (let place = site?.first ?? NOWHERE; place >= 0; place = next.get(place)) {
      const entry = entryAt(place)
      if (entry !== null) yield entry
    }
  }

  return {
    add(place, entry, bytes) {
      const tag = siteTagOf(entry.tags)
      let site = sites.get(tag)
      if (site === undefined)
        sites.set(tag, (site = { entries: 0, bytes: 0, first: NOWHERE, last: NOWHERE }))
      next.set(place, NOWHERE)
      before.set(place, site.last)
      if (site.last === NOWHERE) site.first = place
      else next.set(site.last, place)
      site.last = place
      site.entries++
      site.bytes += bytes
    },
    remove(place, entry, bytes) {
      const tag = siteTagOf(entry.tags)
      const site = sites.get(tag)
      if (site === undefined || next.get(place) === GONE) return
      const newer = next.get(place)
      const older = before.get(place)
      if (newer === NOWHERE) site.last = older
      else before.set(newer, older)
      if (older === NOWHERE) site.first = newer
      else next.set(older, newer)
      next.set(place, GONE)
      site.entries--
      site.bytes -= bytes
      if (site.entries === 0) sites.delete(tag)
    },
    usage: () =>
      Object.fromEntries([...sites].map(([tag, { entries, bytes }]) => [tag, { entries, bytes }])),
    of: (siteTag) => walk(sites.get(siteTag)),
  }
}
