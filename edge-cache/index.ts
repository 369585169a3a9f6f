/**
 * The page cache: middleware, layers, purge marks, and what several processes
 * need to share it. Imports nothing of the rest of the product, which enters here.
 */
export * from './config.ts'
export type {
  CacheCounters,
  CacheEntry,
  CacheKey,
  CacheStore,
  ContentCoding,
  FillCoordinator,
  FillOutcome,
  PageCacheCounters,
  PurgeMarks,
  PurgeScope,
  StoreStats,
} from './types.ts'
export { CLICK_IDS } from './address/click-ids.ts'
export { deviceClass, neutralUserAgent } from './address/device-class.ts'
export { hasIgnorableQuery } from './address/ignorable-query.ts'
export { cacheKey, keyId, pageId, VARIANT_MARK, type PageVariant } from './address/key.ts'
export { sameOrNewAddress, type PageAddress } from './address/page-address.ts'
export type { AskOrigin, PageCacheContext, PageRefresh } from './address/page-context.ts'
export type { WarmTarget } from './address/warm-target.ts'
export { hasTag, ownTag } from './codings/content-tag.ts'
export {
  acceptsCoding,
  preferredCoding,
  representation,
  weak,
  withAcceptEncoding,
} from './codings/encoding-choice.ts'
export { isFixedBody, isTextType, MIN_CODED_BYTES } from './codings/encoding-worth.ts'
export { createCookieMemory, type CookieMemory, type SiteCookies } from './cookies/cookie-memory.ts'
export {
  fillCookies,
  hasBypassCookie,
  type FillCookies,
  type LearnedCookies,
} from './cookies/bypass-cookies.ts'
export { taughtNames } from './cookies/taught-names.ts'
export { NOT_MODIFIED_HEADERS } from './entry/response.ts'
export { ageSecs, keepUntilMs } from './entry/entry.ts'
export { withoutInternalHeaders } from './entry/headers.ts'
export { multipartBody, multipartRanges, type MultipartRanges } from './entry/multipart-ranges.ts'
export { deserializeEntry, serializeEntry } from './entry/serialize.ts'
export { boundedMemo } from './fields/bounded-memo.ts'
export { readRanges, type BytePart } from './fields/byte-ranges.ts'
export { LITESPEED_CONTROL } from './fields/cache-control.ts'
export { firstWord, splitTrimmed, trimEndOf, trimOf } from './fields/field-text.ts'
export { isForwardingField } from './fields/forwarding-fields.ts'
export { parseHttpDate } from './fields/http-date.ts'
export { NO_CODING_HEADER } from './fields/no-coding-header.ts'
export { NEGOTIATION_HEADERS, NEGOTIATION_PREFIXES } from './fields/other-representation.ts'
export { REVALIDATE_HEADER } from './fields/revalidate-header.ts'
export { SCRIPT_HEADER } from './fields/script-header.ts'
export { atOnce, inSlices, nextRound, type Pause, type SlicedWork } from './fills/in-slices.ts'
export { settledWithin } from './fills/settled-within.ts'
export { createPolledFlight } from './fills/polled-flight.ts'
export { createSharedFills, type FillTurns } from './fills/shared-fills.ts'
export { createSingleFlight } from './fills/single-flight.ts'
export { createInvalidator } from './http-mode/invalidation.ts'
export {
  isFrontServerField,
  isPluginField,
  LITESPEED_CACHE,
  LITESPEED_VARY,
  LSC_COOKIE,
  nameOfCookie,
  OWN_PURGE_FIELD,
  PURGE_FIELDS,
  readOnly,
  splitCookies,
} from './litespeed/litespeed-fields.ts'
export { readPurgeOrder, type PurgeItem, type PurgeOrder } from './litespeed/purge-order.ts'
export { cacheBefore, type CacheBefore, type CacheBeforeOptions } from './page-mode/cache-before.ts'
export { createPageCache, type PageCacheDeps } from './page-mode/create-page-cache.ts'
export type { BodyEncoder } from './page-mode/encoding-maker.ts'
export { observedPageCache } from './page-mode/observed-page-cache.ts'
export type { FileVersion } from './page-mode/page-cache-deps.ts'
export { UNCACHEABLE_MS } from './page-mode/page-cache-limits.ts'
export type { PageCache } from './page-mode/page-cache.ts'
export { isExcluded, requestBypass } from './policy/policy.ts'
export { createUncacheableMarkers, type UncacheableMarkers } from './policy/uncacheable-markers.ts'
export {
  createPurgeMarks,
  NO_MARKS,
  type PurgeMarkSnapshot,
  type SnapshotPurgeMarks,
} from './purge/marks.ts'
export {
  hostTag,
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  purgeSiteTag,
  purgeTag,
  softly,
} from './purge/purge-scopes.ts'
export {
  createPurgeSequencer,
  type Purge,
  type PurgeLog,
  type PurgeSequencer,
} from './purge/purge-sequencer.ts'
export { TAG_HEADERS } from './purge/tags.ts'
export type { PageDifference } from './sampling/page-difference.ts'
export { createSampler, type Sampler } from './sampling/sampler.ts'
export { addCounters } from './statistics/counters.ts'
export type { Tally } from './statistics/heavy-hitters.ts'
export {
  createObservations,
  SiteTallies,
  SiteTally,
  type SiteObservations,
} from './statistics/observation.ts'
export { createCacheApiStore, type CacheApi } from './stores/cache-api.ts'
export { editionOf } from './stores/changed-pages.ts'
export { createLayeredCache, type LayeredCache, type LayerSource } from './stores/layered.ts'
export { createMemoryStore, type MemoryStore } from './stores/memory/memory.ts'
export { MAX_COUNTED_PAGES, pagesToPurge, withKeepUntil } from './stores/purged-pages.ts'
export type { RedisDriver } from './stores/redis/driver.ts'
export {
  createRedisMarks,
  type FrontReport,
  MARKS_KEY,
  parsePublished,
  type RedisMarks,
  type SharedMarks,
} from './stores/redis/marks.ts'
export { createRedisFillTurns } from './stores/redis/fill-turns.ts'
export { createRedisStore, REDIS_SWEEP_ROUNDS, type RedisStore } from './stores/redis/store.ts'
export type { SiteUsage } from './stores/site-index.ts'
export { isCorruptDatabase, type SqliteDatabase } from './stores/sqlite/driver.ts'
export { createSqliteReader } from './stores/sqlite/reader.ts'
export { createSqliteWriter, type SqliteWriter } from './stores/sqlite/writer.ts'
export { splitStore, type CacheReader, type CacheWriter } from './stores/store.ts'
export { discoverTargets, type WarmDocument } from './warm/discover.ts'
export { discoverHost } from './warm/discover-host.ts'
export { createWarmQueue, type WarmQueue } from './warm/queue.ts'
export {
  resolveWarmUrl,
  targetsAt,
  whyNotWarmed,
  type WarmHost,
  type WarmHosts,
} from './warm/resolve-target.ts'
export { createWarmSchedule, type WarmSchedule } from './warm/schedule.ts'
export { warmSettings } from './warm/settings.ts'
export { warmTargetId, type WarmOutcome, type WarmTime } from './warm/types.ts'
