/**
 * The page cache: middleware, layers, purge marks, and what several processes
 * need to share it. Imports nothing of the rest of the product.
 */
export { createPageCache, type PageCacheDeps } from './create-page-cache.ts'
export { createLayeredCache, type LayeredCache, type LayerSource } from './layered.ts'
export { createMemoryStore, type MemoryStore } from './stores/memory.ts'
export { createCacheApiStore, type CacheApi } from './stores/cache-api.ts'
export { splitStore, type CacheReader, type CacheWriter } from './stores/store.ts'
export { createSqliteReader } from './stores/sqlite-reader.ts'
export { createSqliteWriter, type SqliteWriter } from './stores/sqlite-writer.ts'
export { isCorruptDatabase, type SqliteDatabase } from './stores/sqlite-driver.ts'
export {
  createPurgeMarks,
  NO_MARKS,
  type PurgeMarkSnapshot,
  type SnapshotPurgeMarks,
} from './marks.ts'
export {
  createPurgeSequencer,
  type Purge,
  type PurgeLog,
  type PurgeSequencer,
} from './purge-sequencer.ts'
export { createSingleFlight } from './single-flight.ts'
export { deserializeEntry, serializeEntry } from './serialize.ts'
export { addCounters } from './counters.ts'
export { MAX_COUNTED_PAGES, pagesToPurge, withKeepUntil } from './purged-pages.ts'
export type { SiteUsage } from './site-index.ts'
export { NOT_MODIFIED_HEADERS } from './answer.ts'
export { hasTag, ownTag } from './content-tag.ts'
export { ageSecs, keepUntilMs } from './entry.ts'
export { representation } from './encoding-choice.ts'
export type { BodyEncoder } from './encoding-maker.ts'
export { cacheKey, keyId, pageId, VARIANT_MARK } from './key.ts'
export { isExcluded, requestBypass } from './policy.ts'
export { NEGOTIATION_HEADERS, NEGOTIATION_PREFIXES } from './other-representation.ts'
export { fillCookies, hasBypassCookie, type FillCookies, type LearnedCookies } from './cookies.ts'
export { createCookieMemory, type CookieMemory, type SiteCookies } from './cookies/cookie-memory.ts'
export { taughtNames } from './cookies/taught-names.ts'
export { deviceClass } from './device-class.ts'
export { hostTag } from './purge-scopes.ts'
export * from './page-cache.ts'
export * from './config.ts'
export type {
  CacheKey,
  CacheStore,
  ContentCoding,
  FillCoordinator,
  FillOutcome,
  PurgeMarks,
} from './types.ts'
