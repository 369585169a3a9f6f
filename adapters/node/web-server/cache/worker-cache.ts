import {
  createLayeredCache,
  createMemoryStore,
  createPageCache,
  createPurgeMarks,
  createSqliteReader,
  parseSizeBytes,
  splitStore,
  type CacheWriter,
  type LayeredCache,
  type LayerSource,
  type PageCache,
  type FillCoordinator,
} from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { WorkerStart } from '../workers/messages.ts'
import { createCompressor } from './compress.ts'
import { diskCacheFile, openForReading } from './disk-file.ts'

export interface WorkerCache {
  pageCache: PageCache
  layers: LayeredCache
  /** This worker's share of the memory limit. */
  memoryBytes: number
}

const SWEEP_MS = 1000
const DEFAULT_MEMORY_BYTES = 256 * 2 ** 20
const DEFAULT_DISK_BYTES = 2 * 2 ** 30

/**
 * The page cache of one worker: its share of L1, the disk layer read directly
 * and written through the primary. Null when the cache is off.
 */
export const createWorkerCache = (
  start: WorkerStart,
  deps: { coordinator: FillCoordinator; writer: Pick<CacheWriter, 'put' | 'delete'>; log: Log },
): WorkerCache | null => {
  const { cache } = start.config
  if (!cache.enable) return null
  const { log } = deps
  const nowMs = (): number => Date.now()
  const memoryBytes = Math.floor(
    (parseSizeBytes(cache.memory_limit) ?? DEFAULT_MEMORY_BYTES) / start.workers,
  )
  const marks = createPurgeMarks({ snapshot: start.marks })
  const file = diskCacheFile(cache)
  const l2: LayerSource | null =
    file === null
      ? null
      : {
          name: 'disk',
          open: () =>
            splitStore(
              createSqliteReader(openForReading(file), {
                limitBytes: parseSizeBytes(cache.disk_limit) ?? DEFAULT_DISK_BYTES,
              }),
              { ...deps.writer, sweep: () => 0 },
            ),
        }
  const layers = createLayeredCache({
    l1: cache.l1_enabled ? createMemoryStore({ limitBytes: memoryBytes }) : null,
    l2,
    marks,
    nowMs,
    onLayerDown: (name, error) => log.warn('a cache layer is off', { name, error: String(error) }),
    onLayerUp: (name) => log.info('a cache layer is back', { name }),
  })
  setInterval(() => layers.sweep(), SWEEP_MS).unref()
  const pageCache = createPageCache({
    defaultTtlSecs: cache.default_ttl,
    layers,
    marks,
    coordinator: deps.coordinator,
    nowMs,
    encoder: createCompressor(log),
  })
  return { pageCache, layers, memoryBytes }
}
