import { setImmediate as turn } from 'node:timers/promises'
import {
  type CacheWriter,
  createLayeredCache,
  createMemoryStore,
  createObservations,
  createPageCache,
  createPurgeMarks,
  createSharedFills,
  type FillCoordinator,
  type LayeredCache,
  observedPageCache,
  type PageCache,
  pagesToPurge,
  type PurgeScope,
  type Sampler,
  settledWithin,
  type SiteObservations,
  type SiteUsage,
  withKeepUntil,
} from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PageChange, WorkerStart } from '../workers/messages.ts'
import { createCompressor } from './compress/compress.ts'
import { fileVersion } from './file-version.ts'
import { monotonicMs } from './redis/monotonic-ms.ts'
import type { RedisEpoch } from './redis/redis-link.ts'
import { splitMemory } from './split-memory.ts'
import { createWorkerLayer } from './worker-layer.ts'

export interface WorkerCache {
  pageCache: PageCache
  layers: LayeredCache
  /** This worker's share of the memory limit. */
  memoryBytes: number
  /** Resolves when nothing is done in the background any more, or after some seconds. */
  settled(): Promise<void>
  /** Why visitors were not served from the cache since the last call, by primary domain. */
  takeObservations(): Record<string, SiteObservations>
  /** What each site has in this worker's memory, by host tag. */
  siteUsage(): Record<string, SiteUsage>
  /** Addresses of the site's pages in this worker's memory that a purge would take away now. */
  pagesToPurge(siteTag: string, scopes: readonly PurgeScope[]): Promise<string[]>
  /** Which pages in Redis may be used; null: none. Resolves when they are. */
  setEpoch(epoch: RedisEpoch): Promise<void>
  /** Until when stored pages may be shown, milliseconds of CLOCK_MONOTONIC. */
  setLease(untilMs: number): void
}

/** Often and little, so that no visitor waits for it. */
const SWEEP_MS = 100
/** How long a worker that ends waits for refreshes that nobody else would make. */
const SETTLE_MS = 5000

/**
 * The page cache of one worker: its share of L1, the file of pages read directly
 * and written through the primary. Null when the cache is off.
 */
export const createWorkerCache = async (
  start: WorkerStart,
  deps: {
    coordinator: FillCoordinator
    writer: Pick<CacheWriter, 'put' | 'delete'>
    /** Purges in every process what an unsafe request changed. */
    invalidate(scopes: readonly PurgeScope[]): Promise<void>
    /** A page in Redis was stored or taken away here; resolves when the other workers know. */
    onChanged(change: PageChange, replaced: boolean): Promise<unknown>
    onBehind(): void
    onDamage(error: string): void
    sampler: Sampler
    log: Log
  },
): Promise<WorkerCache | null> => {
  const { cache } = start.config
  if (!cache.enable) return null
  const { log } = deps
  const nowMs = (): number => Date.now()
  const memoryBytes = splitMemory(cache, start.workers).workerBytes
  const marks = createPurgeMarks({ snapshot: start.marks })
  const layer = await createWorkerLayer(start, { ...deps, marks })
  const memory = cache.l1_enabled ? createMemoryStore({ limitBytes: memoryBytes }) : null
  /** By the clock of `performance.now`, which is the cheaper one; null: always. */
  let leaseMs: number | null = null
  const setLease = (untilMs: number): void => {
    leaseMs = performance.now() + untilMs - monotonicMs()
  }
  if (start.pageLeaseMs !== null) setLease(start.pageLeaseMs)
  const layers = createLayeredCache({
    isTrusted: () => leaseMs === null || performance.now() < leaseMs,
    l1: memory,
    l2: layer?.source ?? null,
    ...(layer === null ? {} : { retryMs: layer.retryMs }),
    marks,
    nowMs,
    onLayerDown: (name, error) => {
      if (layer?.isKnown(error) !== true)
        log.warn('a cache layer is off', { name, error: String(error) })
      if (layer?.isDamage(error) === true) deps.onDamage(String(error))
    },
    onLayerUp: (name) => log.info('a cache layer is back', { name }),
  })
  setInterval(() => layers.sweep(), SWEEP_MS).unref()
  const running = new Set<Promise<unknown>>()
  const settled = async (): Promise<void> => {
    await settledWithin(Promise.all(running), SETTLE_MS)
  }
  const observations = createObservations()
  const cached = createPageCache({
    defaultTtlSecs: cache.default_ttl,
    graceSecs: cache.grace_secs,
    ignoreQueryParams: cache.ignore_query_params,
    mobileVariant: cache.mobile_variant,
    background(work) {
      running.add(work)
      void work.finally(() => running.delete(work))
    },
    layers,
    marks,
    coordinator: layer?.turns ? createSharedFills(deps.coordinator, layer.turns) : deps.coordinator,
    invalidate: deps.invalidate,
    nowMs,
    fileVersion,
    sampler: deps.sampler,
    ...(start.config.server.compress ? { encoder: createCompressor(log) } : {}),
  })
  const pageCache = observedPageCache(cached, { observe: observations.note, nowMs })
  const setEpoch = async (epoch: RedisEpoch): Promise<void> => {
    const connected = layer?.setEpoch(epoch)
    layers.reopen()
    await connected
  }
  return {
    pageCache,
    layers,
    memoryBytes,
    settled,
    takeObservations: observations.take,
    siteUsage: () => memory?.sites() ?? {},
    pagesToPurge: async (siteTag, scopes) => {
      // As they are now: the store's own list changes between the turns.
      const entries = withKeepUntil([...(memory?.ofSite(siteTag) ?? [])])
      return [...(await pagesToPurge(entries, scopes, marks, nowMs(), turn))]
    },
    setEpoch,
    setLease,
  }
}
