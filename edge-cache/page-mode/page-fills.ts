import type { Counting } from '../statistics/counters.ts'
import { judgeFill } from '../fills/fill-request.ts'
import type { Fill } from './fill.ts'
import { createOriginFill } from './origin-fill.ts'
import { FOLLOW_MS, MAX_ENTRY_BYTES, STORE_WAIT_MS, UNCACHEABLE_MS } from './page-cache-limits.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import type { PageRequest } from '../fills/page-request.ts'
import type { PageCacheDeps } from './page-cache-deps.ts'
import type { PageServing } from './page-serving.ts'
import type { StoreRules } from '../policy/policy.ts'
import { createSharedPages } from '../fills/shared-pages.ts'
import { joinWithin } from '../fills/turns.ts'
import type { CacheEntry, FillOutcome } from '../types.ts'
import { createUncacheableMarkers } from '../policy/uncacheable-markers.ts'

/** See `createPageFills`. */
export type PageFills = ReturnType<typeof createPageFills>

/** Neutral requests behind responses, of one process; beyond that a later visitor is the next chance. */
const MAX_NEUTRAL_FILLS = 16

const REFUSED_MS = 60_000

const isConditional = (headers: Headers): boolean =>
  headers.has('if-none-match') || headers.has('if-modified-since')

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
  const shared = createSharedPages()
  const neutralFills = new Set<string>()
  /** Where a neutral request did not get the page: it would not be worth a second run at every visit. */
  const refused = createUncacheableMarkers({ forMs: REFUSED_MS, nowMs })

  const fillFromOrigin = createOriginFill({
    maxEntryBytes: deps.maxEntryBytes ?? MAX_ENTRY_BYTES,
    storeWaitMs: deps.storeWaitMs ?? STORE_WAIT_MS,
    layers,
    marks,
    nowMs,
    background,
    ...(deps.fileVersion ? { fileVersion: deps.fileVersion } : {}),
    onStored(entry, askedAtMs, fill) {
      const { context, way } = fill
      confirm(entry, askedAtMs)
      uncacheable.clear(entry.key.id)
      if (way === 'neutral') {
        shared.add(entry.key.id)
        refused.clear(entry.key.id)
      } else if (context.rule.fills === 'auto') deps.sampler?.stored(entry, fill)
      counters.store(context.primaryDomain)
    },
    onWritten: (entry) => serving.offer(entry),
    onPersonal: (fill) => fillNeutrally(fill),
  })
  const variesByDevice = ({ rule }: PageCacheContext): boolean =>
    rule.mobile_variant ?? deps.mobileVariant ?? false
  const rulesOf = (context: PageCacheContext): StoreRules => ({
    ttlSecs: context.rule.ttl ?? deps.defaultTtlSecs,
    graceSecs: deps.graceSecs ?? 0,
    contentTypes: context.rule.content_types,
    variesByDevice: variesByDevice(context),
  })
  const isNeutral = ({ context }: PageRequest): boolean => context.rule.fills === 'neutral'

  /** Asks for the page with a request that is nobody's, behind the response that a visitor got. */
  const fillNeutrally = (visited: Fill): void => {
    const { settle, key } = visited
    const { l1, l2 } = layers.stats()
    const isVain = (l1 === null && l2 === null) || refused.has(key.id)
    if (isVain || neutralFills.size >= MAX_NEUTRAL_FILLS || neutralFills.has(key.id)) {
      settle({ kind: 'failed' })
      return
    }
    neutralFills.add(key.id)
    const own: Fill = {
      ...visited,
      way: 'neutral',
      unattended: true,
      settle(outcome) {
        if (outcome.kind === 'uncacheable') refused.set(key.id)
        settle(outcome)
      },
    }
    const run = async (): Promise<void> => {
      await (await fillFromOrigin(own))?.body?.cancel()
    }
    background(run().finally(() => neutralFills.delete(key.id)))
  }

  /**
   * Asks the origin by one visitor's request and stores what may be stored. Which
   * way: `over.way`, or the site's rule.
   */
  const fill = async (
    asked: PageRequest,
    settle: (outcome: FillOutcome) => void,
    over: Partial<Pick<Fill, 'way' | 'known' | 'fallback' | 'unattended' | 'detached'>> & {
      /** The request goes as it came, and its response is its sender's alone. */
      isOwn?: boolean
    } = {},
  ): Promise<Response | null> => {
    const { context, key } = asked
    const isRefresh = context.refresh !== undefined
    const way =
      over.way ??
      (isRefresh || over.known || (isNeutral(asked) && shared.has(key.id)) ? 'neutral' : 'visitor')
    const judged = judgeFill(asked.request, context)
    // At a site that is filled neutrally every response only tells whether there is a page for everybody.
    const isUnfit = isNeutral(asked) && asked.request.method === 'GET'
    const response = await fillFromOrigin({
      ...asked,
      ...over,
      way,
      fitness: over.isOwn ? 'odd' : isUnfit ? 'unfit' : judged.fitness,
      chosen: judged.chosen,
      rules: rulesOf(context),
      settle(outcome) {
        if (outcome.kind === 'uncacheable') {
          shared.delete(key.id)
          // The stored page that could not be replaced is still everybody's.
          if (!isRefresh) uncacheable.set(key.id)
        }
        settle(outcome)
      },
    })
    if (response && over.unattended !== true && !isRefresh) counters.miss(context.primaryDomain)
    return response
  }

  /**
   * Asks by itself, and stores all the same what may be stored. `over.detached`
   * false: the response is most likely the client's own, so it ends with him, and he may
   * make it conditional.
   */
  const direct = async (
    asked: PageRequest,
    over: Pick<Fill, 'detached'> = {},
  ): Promise<Response> => {
    const isOwn = over.detached === false && isConditional(asked.request.headers)
    const response = await fill(asked, () => undefined, { ...over, way: 'visitor', isOwn })
    if (response) return response
    throw new Error('A response that nobody may withhold was withheld.')
  }

  const revalidate = async (entry: CacheEntry, asked: PageRequest): Promise<Response> => {
    // At once, so that others are served meanwhile instead of asking too.
    confirm(entry, nowMs())
    try {
      const response = await fill(asked, () => undefined, { known: entry })
      if (response) return response
      // A purge may have come while the origin was asked.
      return isUsable(entry) ? serve(entry, asked, 'revalidated') : direct(asked)
    } catch (error) {
      unconfirm(entry)
      throw error
    }
  }

  /** Keeps what another process stored, perhaps from before a purge that is known here. */
  const adopt = (
    entry: CacheEntry,
    { key, context }: Pick<PageRequest, 'key' | 'context'>,
  ): boolean => {
    if (entry.key.id !== key.id || !isFreshHere(entry)) return false
    if (context.refresh || layers.lookup(key.id) === null) {
      confirm(entry, nowMs())
      layers.promote(entry)
    }
    context.refresh?.onStored(entry)
    return true
  }

  /** Whether nobody would gain by waiting for this request. */
  const goesAlone = ({ request, context }: PageRequest): boolean =>
    request.method !== 'GET' ||
    (context.rule.fills !== 'neutral' && judgeFill(request, context).fitness === 'odd')

  const miss = async (asked: PageRequest): Promise<Response> => {
    const { context, key } = asked
    if (!context.refresh) {
      if (goesAlone(asked)) return direct(asked)
      if (uncacheable.has(key.id)) return direct(asked, { detached: false })
    }
    const joined = await joinWithin(coordinator, key, followMs)
    if (joined?.role === 'leader') {
      // Another process may have stored it between the look-up and the turn.
      const entry = context.refresh ? null : await layers.get(key)
      if (entry && isFreshHere(entry)) {
        joined.settle({ kind: 'stored', entry })
        return serve(entry, asked, null)
      }
      const response = await fill(asked, joined.settle)
      return response ?? direct(asked)
    }
    if (joined?.outcome.kind === 'stored' && adopt(joined.outcome.entry, asked)) {
      return serve(joined.outcome.entry, asked, 'collapsed')
    }
    if (joined?.outcome.kind !== 'uncacheable') return direct(asked)
    uncacheable.set(key.id)
    return direct(asked, { detached: false })
  }

  return { uncacheable, variesByDevice, fill, direct, revalidate, adopt, miss }
}
