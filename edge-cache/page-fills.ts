import { originAnswer } from './cache-status.ts'
import type { Counting } from './counters.ts'
import { fillRequest } from './fill-request.ts'
import { createOriginFill, type Fill } from './origin-fill.ts'
import { FOLLOW_MS, MAX_ENTRY_BYTES, STORE_WAIT_MS, UNCACHEABLE_MS } from './page-cache-limits.ts'
import type { PageCacheContext } from './page-cache.ts'
import type { Asked, PageCacheDeps } from './page-cache-deps.ts'
import type { PageServing } from './page-serving.ts'
import { isPartial, responseVerdict, type StoreRules } from './policy.ts'
import { joinWithin } from './turns.ts'
import type { CacheEntry, FillOutcome } from './types.ts'
import { createUncacheableMarkers } from './uncacheable-markers.ts'

export type PageFills = ReturnType<typeof createPageFills>

/** Pages that are not there: asked for once, by whoever comes first, and stored where they may be. */
export const createPageFills = (
  deps: PageCacheDeps,
  serving: PageServing,
  counters: Counting,
  background: (work: Promise<unknown>) => void,
) => {
  const { layers, marks, coordinator, nowMs } = deps
  const { confirm, unconfirm, isFreshHere, isUsable, serve } = serving
  const followMs = deps.followMs ?? FOLLOW_MS
  const uncacheable = createUncacheableMarkers({
    forMs: deps.uncacheableMs ?? UNCACHEABLE_MS,
    nowMs,
  })
  const fillFromOrigin = createOriginFill({
    maxEntryBytes: deps.maxEntryBytes ?? MAX_ENTRY_BYTES,
    storeWaitMs: deps.storeWaitMs ?? STORE_WAIT_MS,
    layers,
    marks,
    nowMs,
    background,
    onStored(entry, askedAtMs, { primaryDomain }) {
      confirm(entry, askedAtMs)
      uncacheable.clear(entry.key.id)
      counters.store(primaryDomain)
    },
    onWritten: (entry) => serving.offer(entry),
  })
  const variesByDevice = ({ rule }: PageCacheContext): boolean =>
    rule.mobile_variant ?? deps.mobileVariant ?? false
  const rulesOf = (context: PageCacheContext): StoreRules => ({
    ttlSecs: context.rule.ttl ?? deps.defaultTtlSecs,
    graceSecs: deps.graceSecs ?? 0,
    contentTypes: context.rule.content_types,
    variesByDevice: variesByDevice(context),
  })

  const fill = async (
    asked: Asked,
    settle: (outcome: FillOutcome) => void,
    over: Pick<Fill, 'known' | 'fallback' | 'unattended'> = {},
  ): Promise<Response | null> => {
    const answer = await fillFromOrigin({
      ...asked,
      ...over,
      rules: rulesOf(asked.context),
      settle(outcome) {
        // The stored page that could not be replaced is still everybody's.
        if (outcome.kind === 'uncacheable' && !asked.context.refresh) uncacheable.set(asked.key.id)
        settle(outcome)
      },
    })
    if (answer && over.unattended !== true && !asked.context.refresh)
      counters.miss(asked.context.primaryDomain)
    return answer
  }

  /**
   * Asks without waiting for others, and stores if the request is nearly as
   * everybody's. What lately proved to be not for everybody (`known`) is asked for
   * with the client's own request, unless that is as good as the shared one.
   */
  const direct = async (asked: Asked, known: boolean): Promise<Response> => {
    const { request, key, context, next } = asked
    if (!isPartial(request.headers)) {
      const { reduction } = fillRequest(request)
      if (reduction === 'none' || (reduction === 'usual' && !known)) {
        const answer = await fill(asked, () => undefined)
        if (answer) return answer
      }
    }
    counters.miss(context.primaryDomain)
    const response = await next(request)
    if (known && typeof responseVerdict(response, rulesOf(context), nowMs()) !== 'string') {
      uncacheable.clear(key.id)
    }
    return originAnswer(response, 'uri-miss', null, { xCache: true })
  }

  const revalidate = async (entry: CacheEntry, asked: Asked): Promise<Response> => {
    // At once, so that others are served meanwhile instead of asking too.
    confirm(entry, nowMs())
    try {
      const answer = await fill(asked, () => undefined, { known: entry })
      if (answer) return answer
      // A purge may have come while the origin was asked.
      return isUsable(entry) ? serve(entry, asked, 'revalidated') : direct(asked, false)
    } catch (error) {
      unconfirm(entry)
      throw error
    }
  }

  /** Keeps what another process stored, perhaps from before a purge that is known here. */
  const adopt = (entry: CacheEntry, { key, context }: Pick<Asked, 'key' | 'context'>): boolean => {
    if (entry.key.id !== key.id || !isFreshHere(entry)) return false
    if (context.refresh || layers.lookup(key.id) === null) {
      confirm(entry, nowMs())
      layers.promote(entry)
    }
    context.refresh?.onStored(entry)
    return true
  }

  const miss = async (asked: Asked): Promise<Response> => {
    const { request, context, key } = asked
    if (isPartial(request.headers)) return direct(asked, false)
    if (uncacheable.has(key.id) && !context.refresh) return direct(asked, true)
    const joined = await joinWithin(coordinator, key, followMs)
    if (joined?.role === 'leader') {
      // Another process may have stored it between the look-up and the turn.
      const entry = context.refresh ? null : await layers.get(key)
      if (entry && isFreshHere(entry)) {
        joined.settle({ kind: 'stored', entry })
        return serve(entry, asked, null)
      }
      const answer = await fill(asked, joined.settle)
      return answer ?? direct(asked, false)
    }
    if (joined?.outcome.kind === 'stored' && adopt(joined.outcome.entry, asked)) {
      return serve(joined.outcome.entry, asked, 'collapsed')
    }
    const wasRefused = joined?.outcome.kind === 'uncacheable'
    if (wasRefused) uncacheable.set(key.id)
    return direct(asked, wasRefused)
  }

  return { uncacheable, variesByDevice, fill, direct, revalidate, adopt, miss }
}
