import { keepUntilMs } from '../entry/entry.ts'
import { pageId } from '../address/key.ts'
import { createMarkSet } from '../purge/mark-set.ts'
import type { CacheEntry, Markable, PurgeMarks, PurgeScope } from '../types.ts'

/** Beyond so many pages nobody counts them one by one. */
export const MAX_COUNTED_PAGES = 20_000

/** `//host/path` of an id: a page counts once, whatever schemes and variants it is stored in. */
const addressOf = (id: string): string => {
  const page = pageId(id)
  return page.slice(page.indexOf('//'))
}

/** Tags looked at before others get their turn: a millisecond or two. */
const SLICE_TAGS = 10_000

/** Tells of entries whether a purge that is yet to come would hit them. */
const wouldHit = (scopes: readonly PurgeScope[]): ((entry: Markable) => boolean) => {
  const set = createMarkSet(Infinity)
  for (const scope of scopes) set.apply(Number.MAX_SAFE_INTEGER, scope)
  return (entry) => set.hits(entry)
}

/**
 * Addresses of the pages that a purge of `scopes` would take away now; those that
 * are dead already do not count. At most `MAX_COUNTED_PAGES`. Pages may have thousands
 * of tags, so it takes `turn` after each slice of them; `entries` is gone through
 * across those turns.
 */
export const pagesToPurge = async (
  entries: Iterable<Markable & { keepUntilMs: number }>,
  scopes: readonly PurgeScope[],
  marks: PurgeMarks,
  nowMs: number,
  turn: () => Promise<unknown>,
): Promise<Set<string>> => {
  const hits = wouldHit(scopes)
  const pages = new Set<string>()
  let tags = 0
  for (const entry of entries) {
    tags += entry.tags.length
    if (tags >= SLICE_TAGS) {
      await turn()
      tags = entry.tags.length
    }
    if (nowMs >= entry.keepUntilMs || !hits(entry) || marks.isPurged(entry)) continue
    pages.add(addressOf(entry.key.id))
    if (pages.size >= MAX_COUNTED_PAGES) break
  }
  return pages
}

/** Entries as `pagesToPurge` takes them; they may be a store's, but have to outlast its turns. */
export function* withKeepUntil(
  entries: Iterable<CacheEntry>,
): Generator<Markable & { keepUntilMs: number }> {
  for (const entry of entries)
    yield {
      key: entry.key,
      tags: entry.tags,
      sequence: entry.sequence,
      keepUntilMs: keepUntilMs(entry),
    }
}
