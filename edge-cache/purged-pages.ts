import { keepUntilMs } from './entry.ts'
import { pageId } from './key.ts'
import { createMarkSet } from './mark-set.ts'
import type { CacheEntry, Markable, PurgeMarks, PurgeScope } from './types.ts'

/** Beyond so many pages nobody counts them one by one. */
export const MAX_COUNTED_PAGES = 20_000

/** `//host/path` of an id: a page counts once, whatever schemes and variants it is stored in. */
const addressOf = (id: string): string => {
  const page = pageId(id)
  return page.slice(page.indexOf('//'))
}

/** Tells of entries whether a purge that is yet to come would hit them. */
const wouldHit = (scopes: readonly PurgeScope[]): ((entry: Markable) => boolean) => {
  const set = createMarkSet(Infinity)
  for (const scope of scopes) set.apply(Number.MAX_SAFE_INTEGER, scope)
  return (entry) => set.hits(entry)
}

/**
 * Addresses of the pages that a purge of `scopes` would take away now; those that
 * are dead already do not count. At most `MAX_COUNTED_PAGES`.
 */
export const pagesToPurge = (
  entries: Iterable<Markable & { keepUntilMs: number }>,
  scopes: readonly PurgeScope[],
  marks: PurgeMarks,
  nowMs: number,
): Set<string> => {
  const hits = wouldHit(scopes)
  const pages = new Set<string>()
  for (const entry of entries) {
    if (nowMs >= entry.keepUntilMs || marks.isPurged(entry) || !hits(entry)) continue
    pages.add(addressOf(entry.key.id))
    if (pages.size >= MAX_COUNTED_PAGES) break
  }
  return pages
}

/** Entries as `pagesToPurge` takes them. */
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
