import type Database from 'better-sqlite3'
import {
  createSqliteReader,
  isCorruptDatabase,
  splitStore,
  type CacheWriter,
  type LayerSource,
  type PurgeMarks,
} from '#edge-cache/index.ts'
import { createRedisStore } from '#edge-cache/stores/redis-store.ts'
import type { PageChange, WorkerStart } from '../workers/messages.ts'
import { openForReading, type PageFile } from './disk-file.ts'
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

const fileLayer = (
  { storage, file, limitBytes }: PageFile,
  writer: Pick<CacheWriter, 'put' | 'delete'>,
): WorkerLayer => {
  let reading: Database.Database | null = null
  return {
    retryMs: 10_000,
    source: {
      name: storage,
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
 * The lower layer of one worker: a file on the disk or in memory, read directly and
 * written through the primary, or Redis, reached directly. Null where there is none.
 */
export const createWorkerLayer = async (
  start: WorkerStart,
  deps: {
    writer: Pick<CacheWriter, 'put' | 'delete'>
    marks: PurgeMarks
    /** A page was stored or taken away here; resolves when the other workers know. */
    onChanged(change: PageChange, replaced: boolean): Promise<unknown>
    /** Redis knows purges that are not known here. */
    onBehind(): void
  },
): Promise<WorkerLayer | null> => {
  const { cache } = start.config
  if (start.pageFile !== null) return fileLayer(start.pageFile, deps.writer)
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
          onChanged: (id, edition, replaced) => deps.onChanged({ id, edition }, replaced),
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
