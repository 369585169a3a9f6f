import {
  createCacheApiStore,
  createCookieMemory,
  createLayeredCache,
  createMemoryStore,
  createPageCache,
  createPolledFlight,
  createPurgeMarks,
  parseSizeBytes,
  type CacheApi,
  type CookieMemory,
  type LayeredCache,
  type PageCache,
  type PurgeScope,
  type SnapshotPurgeMarks,
} from '#edge-cache/index.ts'
import type { CacheConfig } from '#edge-cache/config.ts'
import { createMarkFollower, type MarkFollower } from './marks/mark-follower.ts'
import type { MarksPort } from './marks/page-marks.ts'
import type { FrontReport, News } from './marks/purge-authority.ts'

/** Of all pages that this isolate put into the Cache API or read from it. */
const LOWER_LIMIT_BYTES = 2 ** 30
/** Purges of one kind that an isolate remembers one by one. */
const MAX_MARKS = 16_384
const MAX_ENTRY_BYTES = 4 * 2 ** 20
const FOLLOW_MS = 10_000

/** The page cache of one isolate. */
export interface IsolatePages extends Pick<MarkFollower, 'follow'> {
  cache(): PageCache
  cookies: CookieMemory
  /** Says what was counted here until now. */
  tell(): Promise<void>
  /** Numbers and acknowledges a purge; see `PurgeAuthority`. */
  purge(scopes: readonly PurgeScope[]): Promise<News>
  /** Settles when every isolate knows that the site sets these cookies. */
  learn(site: string, names: readonly string[]): Promise<void>
}

/** Each call opens it anew: what one request opened is not another's. */
const cacheApi: CacheApi = {
  match: async (url) => (await caches.open('berth')).match(url),
  put: async (url, response) => (await caches.open('berth')).put(url, response),
  delete: async (url) => (await caches.open('berth')).delete(url),
}

/**
 * Memory before the Cache API of the data centre, both judged by marks that one Durable Object
 * numbers. What is stored belongs to one history of numbers; another one begins with nothing.
 */
export const createIsolatePages = (deps: {
  config: CacheConfig
  marks(): MarksPort
  background(work: Promise<unknown>): void
  onFault(message: string, error: unknown): void
}): IsolatePages => {
  const { config, background } = deps
  const nowMs = (): number => Date.now()
  const front = crypto.randomUUID()
  const cookies = createCookieMemory()
  let cookieChanges = 0

  interface Stored {
    epoch: string
    marks: SnapshotPurgeMarks
    layers: LayeredCache
    cache: PageCache
  }
  const opened = (epoch: string): Stored => {
    const marks = createPurgeMarks({ maxMarks: MAX_MARKS })
    const limitBytes = parseSizeBytes(config.memory_limit) ?? 0
    const open = () =>
      createCacheApiStore(cacheApi, { limitBytes: LOWER_LIMIT_BYTES, namespace: `pages-${epoch}` })
    const layers = createLayeredCache({
      l1: config.l1_enabled ? createMemoryStore({ limitBytes }) : null,
      l2: config.l2_enabled && epoch !== '' ? { name: 'Cache API', open } : null,
      marks,
      nowMs,
      isTrusted: () => follower.isCurrent(),
      onLayerDown: (name, error) => deps.onFault(`${name} is left out for a while.`, error),
    })
    const cache = createPageCache({
      enabled: config.enable,
      defaultTtlSecs: config.default_ttl,
      graceSecs: config.grace_secs,
      ignoreQueryParams: config.ignore_query_params,
      mobileVariant: config.mobile_variant,
      layers,
      marks,
      coordinator: createPolledFlight({ background }),
      nowMs,
      maxEntryBytes: MAX_ENTRY_BYTES,
      followMs: FOLLOW_MS,
      invalidate: async (scopes) => void (await purge(scopes)),
      background,
    })
    return { epoch, marks, layers, cache }
  }
  const report = (): FrontReport => ({
    front,
    epoch: stored.epoch,
    known: stored.marks.current(),
    cookies: cookieChanges,
    counters: stored.cache.counters(),
    l1: stored.layers.stats().l1,
  })
  const follower = createMarkFollower({
    marks: deps.marks,
    report,
    nowMs,
    background,
    onEpoch: (epoch) => (stored = opened(epoch)),
    onPurge({ sequence, scopes, atMs }) {
      stored.cache.applyPurge(sequence, scopes, atMs)
      stored.layers.sweep()
    },
    onCookies({ changes, sites }) {
      for (const [site, known] of Object.entries(sites)) cookies.put(site, known)
      cookieChanges = changes
    },
    onFault: (error) =>
      deps.onFault('Purges cannot be asked for: nothing that is stored is shown.', error),
  })
  const purge: IsolatePages['purge'] = (scopes) =>
    follower.ask((marks, own) => marks.purge(own, scopes))
  let stored = opened('')

  return {
    follow: () => follower.follow(),
    cache: () => stored.cache,
    cookies,
    purge,
    tell: async () => void (await follower.ask((marks, own) => marks.glance(own))),
    async learn(site, names) {
      // At once here, so that not every request of a busy site asks.
      cookies.learn(site, names, nowMs())
      await follower.ask((marks, own) => marks.learn(own, site, names))
    },
  }
}
