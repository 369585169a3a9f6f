import { join } from 'node:path'
import {
  createPurgeMarks,
  createPurgeSequencer,
  purgeDomain,
  type PurgeSequencer,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import { createHostFingerprints, type HostFingerprints } from './host-fingerprints.ts'
import { openRedisLayer, redisDirectory, type RedisLayer } from './redis/redis-layer.ts'
import { openSharedPages, type SharedPages } from './shared-pages.ts'

/** Purges that may happen here between two numbers of Redis: 16 million. */
const FRACTION = 2 ** -24

/** What the primary keeps of pages for all workers, and the order of purges over it. */
export interface PageStorage {
  pages: SharedPages
  /** Null: pages are not shared through Redis. */
  redis: RedisLayer | null
  sequencer: PurgeSequencer
  /** Of the hosts whose pages are kept; null: no page outlives this process. */
  fingerprints: HostFingerprints | null
}

/** Opens it, and purges the pages of hosts that changed while no web server ran. */
export const openPageStorage = async (
  config: ServerConfig,
  deps: {
    /** Worker processes for a configuration. */
    workerCount(config: ServerConfig): number
    /** The file of pages is another one or gone: whoever reads it has to let go of the old one. */
    onFile(): void
    /** Asked for once the workers are to hear something. */
    pool(): Pick<WorkerPool, 'acknowledge' | 'tell'>
    log: Log
  },
): Promise<PageStorage> => {
  const { workerCount, onFile, pool, log } = deps
  const marks = createPurgeMarks()
  const pages = await openSharedPages(config, { workers: workerCount, marks, log, onFile })
  const redis = await openRedisLayer(config, {
    marks,
    log,
    broadcast: (purges) => pool().acknowledge({ type: 'purges', purges }),
    onEpoch: (epoch) => pool().acknowledge({ type: 'l2-epoch', epoch }),
    onLease: (untilMs) => pool().tell({ type: 'page-lease', untilMs }),
    onChange: (change) => pool().tell({ type: 'page-changed', change }),
  })
  const sequencer = createPurgeSequencer({
    marks,
    log: pages.purges,
    nowMs: () => Date.now(),
    // Redis gives the whole numbers.
    ...(redis === null ? {} : { step: FRACTION }),
    onLogError: (error) => {
      log.error('a purge could not be recorded; the disk cache is emptied', {
        error: String(error),
      })
      return pages.disk?.rebuild()
    },
  })
  const kept = pages.file?.storage === 'disk' ? pages.file.file : null
  const stored = redis === null ? kept : join(redisDirectory(config), 'pages')
  const fingerprints = stored === null ? null : createHostFingerprints(stored, log)
  const outdated = fingerprints?.begin(config.virtualhost) ?? []
  if (outdated.length > 0) {
    const { scopes } = sequencer.purge(outdated.flatMap((name) => purgeDomain(name)))
    void redis?.purge(scopes)
  }
  return { pages, redis, sequencer, fingerprints }
}
