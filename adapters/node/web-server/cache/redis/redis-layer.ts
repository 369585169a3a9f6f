import { join } from 'node:path'
import {
  createRedisStore,
  MARKS_KEY,
  parseSizeBytes,
  REDIS_SWEEP_ROUNDS,
  type Purge,
  type PurgeMarks,
  type PurgeScope,
  type RedisStore,
  type SnapshotPurgeMarks,
  type StoreStats,
} from '#edge-cache/index.ts'
import type { CacheConfig } from '#edge-cache/config.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseRedisUrl, type RedisAddress } from '#handlers/domain/config/redis-url.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PageChange } from '../../workers/messages.ts'
import { createRedisChanges } from './redis-changes.ts'
import { openRedisLink, type RedisEpoch } from './redis-link.ts'
import { openRedisOutbox } from './redis-outbox.ts'

/** The primary's part of the shared layer. */
export interface RedisLayer {
  readonly epoch: RedisEpoch
  readonly fault: string | null
  /** See `RedisLink.leaseMs`. */
  readonly leaseMs: number | null
  /** See `RedisLink.purge`. */
  purge(scopes: readonly PurgeScope[]): Promise<'shared' | 'kept'>
  /** Tells the other instances that a page was replaced or taken away here. */
  tellChange(change: PageChange): void
  /** A worker saw a purge number that is not known here. */
  check(): void
  /** What all instances have in Redis; null while the layer is off. */
  stats(): Promise<StoreStats | null>
  close(): void
}

const SWEEP_MS = 1000
/** What pages of a history that ended are judged by. */
const ALL_PURGED: Pick<PurgeMarks, 'isPurged'> = { isPurged: () => true }
const DEFAULT_LIMIT_BYTES = 2 * 2 ** 30

/** Address of the shared layer; null when the configuration has none. */
export const redisAddress = (config: CacheConfig): RedisAddress | null => {
  if (!config.enable || !config.l2_enabled || config.storage !== 'redis') return null
  const address = parseRedisUrl(config.redis_url ?? '')
  return typeof address === 'string' ? null : address
}

/** Bound of all pages in Redis: that of the disk, whose place it takes. */
export const redisLimitBytes = (config: CacheConfig): number =>
  parseSizeBytes(config.disk_limit) ?? DEFAULT_LIMIT_BYTES

/** Where this instance keeps what it must remember of the shared layer; the supervisor made it ours. */
export const redisDirectory = ({ cache, paths }: ServerConfig): string =>
  cache.disk_path ?? join(paths.state_dir, 'cache')

/** Connects, keeps the marks of all instances the same, and sweeps. Null without a shared layer. */
export const openRedisLayer = async (
  config: ServerConfig,
  deps: {
    marks: SnapshotPurgeMarks
    log: Log
    /** Tells all workers; resolves when all know. */
    broadcast(purges: readonly Purge[]): Promise<void>
    onEpoch(epoch: RedisEpoch): Promise<void>
    /** Tells all workers; see `RedisLinkDeps.onLease`. */
    onLease(untilMs: number): void
    /** Another instance replaced a page or took it away. */
    onChange(change: PageChange): void
  },
): Promise<RedisLayer | null> => {
  const address = redisAddress(config.cache)
  if (address === null) return null
  const { marks, log } = deps
  // The client is large; who does not use it does not wait for it.
  const [{ openRedis }, { redisExposure }] = await Promise.all([
    import('./redis-connection.ts'),
    import('./redis-access.ts'),
  ])
  const connection = openRedis(address)
  const storeOf = (epoch: string): RedisStore =>
    createRedisStore(connection, {
      limitBytes: redisLimitBytes(config.cache),
      epoch,
      known: () => Math.floor(marks.current()),
      onBehind: () => link.check(),
      nowMs: () => Date.now(),
    })
  let store: RedisStore | null = null
  /** Of the history before, whose pages would keep their room until they expire; null when they are gone. */
  let former: RedisStore | null = null
  const changes = createRedisChanges()
  const channel = `berth:purges:${address.database}`
  const link = openRedisLink({
    connection,
    outbox: openRedisOutbox(join(redisDirectory(config), 'redis-purges.jsonl'), log),
    channel,
    log,
    onMessage(message) {
      const change = changes.read(message)
      if (change !== null) deps.onChange(change)
    },
    exposure: () => redisExposure(address),
    ...(config.cache.when_alone === 'strict' ? { onLease: deps.onLease } : {}),
    current: () => marks.current(),
    async apply(purges) {
      for (const { sequence, scopes, atMs } of purges) marks.apply(sequence, scopes, atMs)
      await deps.broadcast(purges)
    },
    async onEpoch(epoch) {
      store = epoch === null ? null : storeOf(epoch)
      former = epoch === null || link.former === '' ? null : storeOf(link.former)
      foundNothing = 0
      await deps.onEpoch(epoch)
    },
  })
  let sweeping = false
  /** Rounds in a row that found nothing of the former history. */
  let foundNothing = 0
  const sweepOnce = async (): Promise<void> => {
    await store?.sweep(marks, Date.now())
    const ended = former
    if (ended === null) return
    const gone = await ended.sweep(ALL_PURGED, Date.now())
    foundNothing = gone === 0 ? foundNothing + 1 : 0
    if (foundNothing >= REDIS_SWEEP_ROUNDS && former === ended) former = null
  }
  const sweep = setInterval(() => {
    if (sweeping) return
    sweeping = true
    sweepOnce()
      // The link notices by itself when Redis is gone.
      .catch(() => undefined)
      .finally(() => (sweeping = false))
  }, SWEEP_MS)
  sweep.unref()
  return {
    get epoch() {
      return link.epoch
    },
    get fault() {
      return link.fault
    },
    get leaseMs() {
      return link.leaseMs
    },
    purge: (scopes) => link.purge(scopes),
    tellChange: (change) =>
      // Who does not hear of it has the former page until it expires.
      void connection
        .send(MARKS_KEY, ['PUBLISH', channel, changes.message(change)])
        .catch(() => undefined),
    check: () => link.check(),
    // What was counted last where Redis does not answer now, which the link notices.
    stats: async () => {
      const counting = store
      return (await counting?.count().catch(() => counting.stats())) ?? null
    },
    close: () => {
      clearInterval(sweep)
      link.close()
    },
  }
}
