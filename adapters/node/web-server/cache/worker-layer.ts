import { randomUUID } from 'node:crypto'
import type Database from 'better-sqlite3'
import {
  type CacheWriter,
  createRedisFillTurns,
  createRedisStore,
  createSqliteReader,
  type FillTurns,
  isCorruptDatabase,
  type LayerSource,
  MARKS_KEY,
  type PurgeMarks,
  type RedisDriver,
  splitStore,
} from '#edge-cache/index.ts'
import type { PageChange, WorkerStart } from '../workers/messages.ts'
import { openForReading, type PageFile } from './disk/disk-file.ts'
import { redisAddress, redisLimitBytes } from './redis/redis-layer.ts'
import type { RedisEpoch } from './redis/redis-link.ts'

/** What is below a worker's memory. */
export interface WorkerLayer {
  source: LayerSource
  /** Pause before the layer is opened again after a fault. */
  retryMs: number
  /** Turns at making pages, of all web servers over the same Redis; null where each is alone. */
  turns: FillTurns | null
  /** Which pages in Redis may be used; null: none. Resolves when this worker's own connection is there, or after a moment. */
  setEpoch(epoch: RedisEpoch): Promise<void>
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
    turns: null,
    setEpoch: () => Promise.resolve(),
    isDamage: (error) =>
      isCorruptDatabase(error) || (error instanceof Error && /damaged page/.test(error.message)),
    isKnown: () => false,
  }
}

/** A worker goes on without Redis when its connection takes longer. */
const CONNECTED_MS = 1000
const PAUSE_MS = 20

const untilConnected = async (connection: RedisDriver): Promise<void> => {
  for (const endMs = performance.now() + CONNECTED_MS; performance.now() < endMs;) {
    try {
      await connection.send(MARKS_KEY, ['PING'])
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
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
  const { openRedis } = await import('./redis/redis-connection.ts')
  const connection = openRedis(address)
  let epoch: RedisEpoch = start.redisEpoch
  if (epoch !== null) await untilConnected(connection)
  return {
    retryMs: 1000,
    source: {
      name: 'redis',
      open() {
        if (epoch === null) throw new Error('Redis is not in use now; the primary says why.')
        return createRedisStore(connection, {
          limitBytes: redisLimitBytes(cache),
          epoch,
          strict: start.pageLeaseMs !== null,
          known: () => Math.floor(deps.marks.current()),
          onBehind: deps.onBehind,
          onChanged: (id, edition, replaced) => deps.onChanged({ id, edition }, replaced),
          nowMs: () => Date.now(),
        })
      },
    },
    turns: createRedisFillTurns(connection, { epoch: () => epoch, name: randomUUID() }),
    async setEpoch(next) {
      epoch = next
      if (next !== null) await untilConnected(connection)
    },
    isDamage: () => false,
    isKnown: () => epoch === null,
  }
}
