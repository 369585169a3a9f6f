import { type CacheEntry, cacheKey, createPurgeMarks, hostTag } from '#edge-cache/index.ts'

/** An entry as a fill makes it; `over` replaces parts. */
export const cacheEntry = (
  host: string,
  path: string,
  over: Partial<CacheEntry> = {},
): CacheEntry => ({
  key: cacheKey(host, path, 'http'),
  status: 200,
  headers: [['content-type', 'text/html; charset=utf-8']],
  body: new Uint8Array(new TextEncoder().encode(`page ${host}${path}`)),
  tags: [hostTag(host)],
  storedAtMs: 1_000,
  expiresAtMs: 1_000_000,
  sequence: 0,
  etag: null,
  lastModified: null,
  revalidateSecs: null,
  coding: null,
  encodings: null,
  ...over,
})

/** Marks after one purge of each scope list. */
export const marksOf = (
  ...purges: Parameters<ReturnType<typeof createPurgeMarks>['apply']>[1][]
) => {
  const marks = createPurgeMarks()
  purges.forEach((scopes, index) => {
    marks.apply(index + 1, scopes, 0)
  })
  return marks
}
