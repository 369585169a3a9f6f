import { ERROR_WAIT_MS, FOLLOW_MS } from './page-cache-limits.ts'
import type { PageRequest } from '../fills/page-request.ts'
import type { PageCacheDeps } from './page-cache-deps.ts'
import type { PageFills } from './page-fills.ts'
import type { PageServing } from './page-serving.ts'
import { createRefresher } from './refresher.ts'
import { settledWithin } from '../fills/settled-within.ts'
import { isServedOnError, isServedWhileRefreshed } from '../entry/stale.ts'
import { joinWithin } from '../fills/turns.ts'
import type { CacheEntry } from '../types.ts'
import { createUncacheableMarkers } from '../policy/uncacheable-markers.ts'

/** For so long after an error the origin is not asked again for a page that stands in for it. */
const FAILED_PAUSE_MS = 2000

/** Responses for pages that are stored but stale (RFC 5861). */
export const createStaleResponses = (
  deps: PageCacheDeps,
  serving: PageServing,
  fills: PageFills,
  background: (work: Promise<unknown>) => void,
): ((entry: CacheEntry, asked: PageRequest) => Promise<Response>) => {
  const { layers, coordinator, nowMs } = deps
  const { isFreshHere, isUsable, serve, serveStale } = serving
  const { fill, direct, adopt, miss } = fills
  const errorWaitMs = deps.errorWaitMs ?? ERROR_WAIT_MS
  const failed = createUncacheableMarkers({ forMs: FAILED_PAUSE_MS, nowMs })

  /** The new page, fetched by one request for all; null when the origin failed. */
  const inTurn = async (entry: CacheEntry, asked: PageRequest): Promise<Response | null> => {
    const { key } = asked
    const joined = await joinWithin(coordinator, key, errorWaitMs)
    if (joined?.role === 'follower') {
      const { outcome } = joined
      if (outcome.kind === 'uncacheable') return direct(asked, { detached: false })
      if (outcome.kind === 'stored' && adopt(outcome.entry, asked)) {
        return serve(outcome.entry, asked, 'collapsed')
      }
      return null
    }
    const newer = await layers.get(key)
    if (newer && isFreshHere(newer)) {
      joined?.settle({ kind: 'stored', entry: newer })
      return serve(newer, asked, null)
    }
    const response = await fill(asked, (outcome) => joined?.settle(outcome), { fallback: entry })
    if (response === null) failed.set(key.id)
    return response
  }

  /** The origin's response, or the stale page when the origin fails or takes too long. */
  const freshOrStale = async (entry: CacheEntry, asked: PageRequest): Promise<Response> => {
    const { id } = asked.key
    if (!failed.has(id)) {
      const refreshed = inTurn(entry, asked)
      if (await settledWithin(refreshed, errorWaitMs)) {
        const response = await refreshed
        if (response) return response
      } else {
        failed.set(id)
        // The page is stored all the same, should it still come.
        background(refreshed.then((late) => late?.body?.pipeTo(new WritableStream())))
      }
    }
    return isUsable(entry) ? serveStale(entry, asked, 'stale-if-error') : direct(asked)
  }

  const refresher = createRefresher({
    join: (key) => joinWithin(coordinator, key, deps.followMs ?? FOLLOW_MS),
    async fresh(key) {
      const entry = await layers.get(key)
      return entry && isFreshHere(entry) ? entry : null
    },
    background,
    nowMs,
  })
  const refreshBehind = (entry: CacheEntry, asked: PageRequest): void => {
    const { key } = asked
    refresher.start({
      key,
      fill: (settle) => fill(asked, settle, { way: 'neutral', fallback: entry, unattended: true }),
      async followed(outcome) {
        if (outcome.kind === 'stored') adopt(outcome.entry, asked)
        // What the leader has thrown away is thrown away here too.
        if (outcome.kind === 'uncacheable') await layers.delete(key)
      },
    })
  }

  return (entry, asked) => {
    if (isServedWhileRefreshed(entry, nowMs())) {
      refreshBehind(entry, asked)
      return serveStale(entry, asked, 'stale')
    }
    return isServedOnError(entry, nowMs()) ? freshOrStale(entry, asked) : miss(asked)
  }
}
