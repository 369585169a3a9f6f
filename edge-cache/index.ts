/**
 * The page cache: middleware, layers, purge marks, and what several processes
 * need to share it. Imports nothing of the rest of the product.
 */
export { createPageCache, type PageCacheDeps } from './page-mode/create-page-cache.ts'
export { createLayeredCache, type LayeredCache, type LayerSource } from './stores/layered.ts'
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
} from './purge/marks.ts'
export {
  createPurgeSequencer,
  type Purge,
  type PurgeLog,
  type PurgeSequencer,
} from './purge/purge-sequencer.ts'
export { createSingleFlight } from './fills/single-flight.ts'
export { deserializeEntry, serializeEntry } from './entry/serialize.ts'
export { addCounters } from './statistics/counters.ts'
export { MAX_COUNTED_PAGES, pagesToPurge, withKeepUntil } from './stores/purged-pages.ts'
export type { SiteUsage } from './stores/site-index.ts'
export { NOT_MODIFIED_HEADERS } from './entry/answer.ts'
export { hasTag, ownTag } from './codings/content-tag.ts'
export { ageSecs, keepUntilMs } from './entry/entry.ts'
export { representation } from './codings/encoding-choice.ts'
export type { BodyEncoder } from './page-mode/encoding-maker.ts'
export { cacheKey, keyId, pageId, VARIANT_MARK } from './address/key.ts'
export { isExcluded, requestBypass } from './policy/policy.ts'
export { NEGOTIATION_HEADERS, NEGOTIATION_PREFIXES } from './fields/other-representation.ts'
export { fillCookies, hasBypassCookie, type FillCookies, type LearnedCookies } from './cookies/cookies.ts'
export { createCookieMemory, type CookieMemory, type SiteCookies } from './cookies/cookie-memory.ts'
export { taughtNames } from './cookies/taught-names.ts'
export { deviceClass } from './address/device-class.ts'
export { hostTag } from './purge/purge-scopes.ts'
export * from './page-mode/page-cache.ts'
export * from './config.ts'
export type {
  CacheKey,
  CacheStore,
  ContentCoding,
  FillCoordinator,
  FillOutcome,
  PurgeMarks,
} from './types.ts'
