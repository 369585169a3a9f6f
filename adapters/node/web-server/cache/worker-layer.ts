import type Database from 'better-sqlite3'
import {
  createSqliteReader,
  isCorruptDatabase,
  parseSizeBytes,
  splitStore,
  type CacheWriter,
  type LayerSource,
  type PurgeMarks,
} from '#edge-cache/index.ts'
import { createRedisStore } from '#edge-cache/stores/redis-store.ts'
import type { WorkerStart } from '../workers/messages.ts'
import { diskCacheFile, openForReading } from './disk-file.ts'
import { redisAddress, redisLimitBytes } from './redis-layer.ts'
import type { RedisEpoch } from './redis-link.ts'

/** What is below a worker's memory. */
export interface WorkerLayer {
  source: LayerSource
  /** Pause before the layer is opened again after a fault. */
  retryMs: number
  /** Which pages in Redis may be used; null: none. */
  setEpoch(epoch: RedisEpoch): void
  /** Whether the fault is damage of the file, which its writer has to make anew. */
  isDamage(error: unknown): boolean
  /** Whether the primary has already said why. */
  isKnown(error: unknown): boolean
}

const DEFAULT_DISK_BYTES = 2 * 2 ** 30

const diskLayer = (
  file: string,
  limitBytes: number,
  writer: Pick<CacheWriter, 'put' | 'delete'>,
): WorkerLayer => {
  let reading: Database.Database | null = null
  return {
    retryMs: 10_000,
    source: {
      name: 'disk',
      open() {
        // The file may have been made anew: the old one would keep its space.
        reading?.close()
        reading = null
        reading = openForReading(file)
        return splitStore(createSqliteReader(reading, { limitBytes }), {
          ...writer,
          sweep: () => 0,
        })
      },
      close() {
        reading?.close()
        reading = null
      },
    },
    setEpoch: () => undefined,
    isDamage: (error) =>
      isCorruptDatabase(error) || (error instanceof Error && /damaged page/.test(error.message)),
    isKnown: () => false,
  }
}

/**
 * The lower layer of one worker: the disk, read directly and written through the
 * primary, or Redis, reached directly. Null when the configuration has none.
 */
export const createWorkerLayer = async (
  start: WorkerStart,
  deps: {
    writer: Pick<CacheWriter, 'put' | 'delete'>
    marks: PurgeMarks
    /** Redis knows purges that are not known here. */
    onBehind(): void
  },
): Promise<WorkerLayer | null> => {
  const { cache } = start.config
  const file = diskCacheFile(cache)
  if (file !== null)
    return diskLayer(file, parseSizeBytes(cache.disk_limit) ?? DEFAULT_DISK_BYTES, deps.writer)
  const address = redisAddress(cache)
  if (address === null) return null
  // The client is large; who does not use it does not wait for it.
  const { openRedis } = await import('./redis-connection.ts')
  const connection = openRedis(address)
  let epoch: RedisEpoch = start.redisEpoch
  return {
    retryMs: 1000,
    source: {
      name: 'redis',
      open() {
        if (epoch === null) throw new Error('Redis is not in use now; the primary says why.')
        return createRedisStore(connection, {
          limitBytes: redisLimitBytes(cache),
          epoch,
          known: () => Math.floor(deps.marks.current()),
          onBehind: deps.onBehind,
          nowMs: () => Date.now(),
        })
      },
    },
    setEpoch(next) {
      epoch = next
    },
    isDamage: () => false,
    isKnown: () => epoch === null,
  }
}
