import { answerFromEntry } from './answer.ts'
import { originAnswer, type Forwarded } from './cache-status.ts'
import { createCounters } from './counters.ts'
import { deviceClass } from './device-class.ts'
import { representation, representationFor } from './encoding-choice.ts'
import { createEncodingMaker, type BodyEncoder } from './encoding-maker.ts'
import { fillRequest } from './fill-request.ts'
import { withoutInternalHeaders } from './headers.ts'
import { createHttpCache } from './http-mode/create-http-cache.ts'
import type { HttpCacheDeps } from './http-mode/http-cache-deps.ts'
import { cacheKey, keyId } from './key.ts'
import type { LayeredCache } from './layered.ts'
import { createOriginFill, type Fill } from './origin-fill.ts'
import type { PageCache, PageCacheContext, PageVariant } from './page-cache.ts'
import { isPartial, requestBypass, responseVerdict } from './policy.ts'
import { createRefresher } from './refresher.ts'
import { settledWithin } from './settled-within.ts'
import { freshnessOf, isServedOnError, isServedWhileRefreshed } from './stale.ts'
import { joinWithin } from './turns.ts'
import type { CacheEntry, CacheKey, FillCoordinator, FillOutcome, PurgeMarks } from './types.ts'
import { createUncacheableMarkers } from './uncacheable-markers.ts'

export interface PageCacheDeps {
  /** `[cache] enable`; false passes everything through. Default true. */
  enabled?: boolean
  defaultTtlSecs: number
  /** `[cache] grace_secs`. Default 0. */
  graceSecs?: number
  /** `[cache] ignore_query_params`, for virtual hosts without a list of their own. Default: none. */
  ignoreQueryParams?: readonly string[]
  /** `[cache] mobile_variant`. Default false. */
  mobileVariant?: boolean
  layers: LayeredCache
  marks: PurgeMarks
  coordinator: FillCoordinator
  nowMs(): number
  /** Larger pages are not stored. Default 8 MiB. */
  maxEntryBytes?: number
  /** How long a page that proved uncacheable is not waited for. Default 10 s. */
  uncacheableMs?: number
  /** How long a request waits for another's fill before it asks the origin itself. Default 30 s. */
  followMs?: number
  /** How long the last bytes of a stored page wait for the lower layer. Default 250 ms. */
  storeWaitMs?: number
  /** How long the origin may take before a page that may stand in for its error does. Default 10 s. */
  errorWaitMs?: number
  /** Gives stored pages their bodies in other codings; without it they are answered as they came. */
  encoder?: BodyEncoder
  /** Purges in every process what an unsafe request changed in `http` mode; default: in this one. */
  invalidate?: HttpCacheDeps['invalidate']
  /** Keeps the runtime alive for work that outlives the answer. */
  background?(work: Promise<unknown>): void
}

/** One request for a page that may be shared. */
interface Asked {
  request: Request
  context: PageCacheContext
  key: CacheKey
  variant: PageVariant
  next(request: Request): Promise<Response>
}

const NO_PARAMS: readonly string[] = []

/** The page cache over its layers; see `PageCache`. */
export const createPageCache = (deps: PageCacheDeps): PageCache => {
  const { layers, marks, coordinator, nowMs } = deps
  const followMs = deps.followMs ?? 30_000
  const errorWaitMs = deps.errorWaitMs ?? 10_000
  const counters = createCounters()
  const uncacheable = createUncacheableMarkers({ forMs: deps.uncacheableMs ?? 10_000, nowMs })
  /** When the origin last confirmed an entry that has to be looked after. */
  const confirmedAtMs = new WeakMap<CacheEntry, number>()
  const background = (work: Promise<unknown>): void => {
    const quiet = work.catch(() => undefined)
    deps.background?.(quiet)
  }
  const http = createHttpCache({
    layers,
    marks,
    coordinator,
    counters,
    nowMs,
    maxEntryBytes: deps.maxEntryBytes ?? 8 * 2 ** 20,
    uncacheableMs: deps.uncacheableMs ?? 10_000,
    followMs,
    storeWaitMs: deps.storeWaitMs ?? 250,
    background,
    ...(deps.invalidate ? { invalidate: deps.invalidate } : {}),
  })
  const fillFromOrigin = createOriginFill({
    maxEntryBytes: deps.maxEntryBytes ?? 8 * 2 ** 20,
    storeWaitMs: deps.storeWaitMs ?? 250,
    layers,
    marks,
    nowMs,
    background,
    onStored(entry, askedAtMs, { primaryDomain }) {
      confirmedAtMs.set(entry, askedAtMs)
      uncacheable.clear(entry.key.id)
      counters.store(primaryDomain)
    },
    onWritten: (entry) => encodings?.offer(entry, 'own'),
  })
  const encodings = deps.encoder
    ? createEncodingMaker({
        encoder: deps.encoder,
        layers,
        background,
        onReplaced(entry, by) {
          const confirmed = confirmedAtMs.get(entry)
          if (confirmed !== undefined) confirmedAtMs.set(by, confirmed)
        },
      })
    : null

  const isUsable = (entry: CacheEntry): boolean => freshnessOf(entry, marks, nowMs()) !== 'dead'
  const isFreshHere = (entry: CacheEntry): boolean => freshnessOf(entry, marks, nowMs()) === 'fresh'
  const needsLookingAfter = (entry: CacheEntry): boolean =>
    entry.revalidateSecs !== null &&
    nowMs() - (confirmedAtMs.get(entry) ?? 0) >= entry.revalidateSecs * 1000
  const variesByDevice = ({ rule }: PageCacheContext): boolean =>
    rule.mobile_variant ?? deps.mobileVariant ?? false
  const rulesOf = (context: PageCacheContext) => ({
    ttlSecs: context.rule.ttl ?? deps.defaultTtlSecs,
    graceSecs: deps.graceSecs ?? 0,
    contentTypes: context.rule.content_types,
    variesByDevice: variesByDevice(context),
  })

  const pass = async (
    { request, next }: Pick<Asked, 'request' | 'next'>,
    why: { forwarded: Forwarded; detail: string | null; xCache: boolean },
  ): Promise<Response> =>
    originAnswer(await next(request), why.forwarded, why.detail, { xCache: why.xCache })

  const serve = async (
    entry: CacheEntry,
    asked: Asked,
    detail: string | null,
    count: 'hit' | 'staleHit' = 'hit',
  ): Promise<Response> => {
    const { request, context } = asked
    const shown = representationFor(entry, request)
    if (shown === null) {
      // Stored in a coding that this client does not accept: the origin may know another.
      counters.bypass(context.primaryDomain, 'encoding')
      return pass(asked, { forwarded: 'bypass', detail: 'encoding', xCache: true })
    }
    if (count === 'hit') encodings?.offer(entry, 'foreign')
    const { response, bytes } = answerFromEntry(shown, request, nowMs(), detail)
    counters[count](context.primaryDomain, bytes)
    return response
  }
  const serveStale = (entry: CacheEntry, asked: Asked, detail: string): Promise<Response> =>
    serve(entry, asked, detail, 'staleHit')
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
    confirmedAtMs.set(entry, nowMs())
    try {
      const answer = await fill(asked, () => undefined, { known: entry })
      return answer ?? serve(entry, asked, 'revalidated')
    } catch (error) {
      confirmedAtMs.delete(entry)
      throw error
    }
  }

  /** Keeps what another process stored, perhaps from before a purge that is known here. */
  const adopt = (entry: CacheEntry, { key, context }: Pick<Asked, 'key' | 'context'>): boolean => {
    if (entry.key.id !== key.id || !isFreshHere(entry)) return false
    if (context.refresh || layers.lookup(key.id) === null) {
      confirmedAtMs.set(entry, nowMs())
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

  /** The origin's answer, or the stale page when the origin fails or takes too long. */
  const missOrStale = async (entry: CacheEntry, asked: Asked): Promise<Response> => {
    const refreshed = fill(asked, () => undefined, { fallback: entry })
    if (await settledWithin(refreshed, errorWaitMs)) {
      const answer = await refreshed
      if (answer) return answer
    } else {
      // The page is stored all the same, should it still come.
      background(refreshed.then((late) => late?.body?.cancel()))
    }
    return isUsable(entry) ? serveStale(entry, asked, 'stale-if-error') : direct(asked, false)
  }

  const refresher = createRefresher({
    join: (key) => joinWithin(coordinator, key, followMs),
    async fresh(key) {
      const entry = await layers.get(key)
      return entry && isFreshHere(entry) ? entry : null
    },
    background,
    nowMs,
  })
  const refreshBehind = (entry: CacheEntry, asked: Asked): void => {
    const { variant, key } = asked
    const own: Asked = { ...asked, request: fillRequest(asked.request, { variant }).request }
    refresher.start({
      key,
      fill: (settle) => fill(own, settle, { fallback: entry, unattended: true }),
      async followed(outcome) {
        if (outcome.kind === 'stored') adopt(outcome.entry, own)
        // What the leader has thrown away is thrown away here too.
        if (outcome.kind === 'uncacheable') await layers.delete(key)
      },
    })
  }

  const answerStale = (entry: CacheEntry, asked: Asked): Promise<Response> => {
    if (isServedWhileRefreshed(entry, nowMs())) {
      refreshBehind(entry, asked)
      return serveStale(entry, asked, 'stale')
    }
    return isServedOnError(entry, nowMs()) ? missOrStale(entry, asked) : miss(asked)
  }

  return {
    async handle(request, context, next) {
      const { rule, primaryDomain } = context
      if (deps.enabled === false || !rule.enable) return withoutInternalHeaders(await next(request))
      if (rule.mode === 'http') return http.handle(request, context, next)
      const ignored = rule.ignore_query_params ?? deps.ignoreQueryParams ?? NO_PARAMS
      const reason = requestBypass(request, context.path, rule, ignored)
      if (reason === 'upgrade') return next(request)
      if (reason) {
        counters.bypass(primaryDomain, reason)
        const xCache = reason !== 'method' && reason !== 'excluded'
        const forwarded = reason === 'method' ? 'method' : 'bypass'
        return pass({ request, next }, { forwarded, detail: reason, xCache })
      }
      const { headers } = request
      const variant = variesByDevice(context) ? deviceClass(headers.get('user-agent')) : null
      const scheme = context.schemeMatters === false ? null : context.secure ? 'https' : 'http'
      const key = cacheKey(context.host, context.path, scheme, variant)
      const asked: Asked = { request, context, key, variant, next }
      // Of what was not cacheable a moment ago (every image, script, form) the disk knows nothing.
      const entry = uncacheable.has(key.id) ? layers.lookup(key.id) : await layers.get(key)
      if (!entry || context.refresh) return miss(asked)
      if (!isFreshHere(entry)) return answerStale(entry, asked)
      if (needsLookingAfter(entry)) return revalidate(entry, asked)
      return serve(entry, asked, null)
    },
    lookup(host, path, secure, acceptEncoding = null, primaryDomain, variant = null) {
      if (deps.enabled === false) return null
      const lowerHost = host.toLowerCase()
      const entry =
        layers.lookup(keyId(lowerHost, path, secure ? 'https' : 'http', variant)) ??
        layers.lookup(keyId(lowerHost, path, null, variant))
      if (!entry || needsLookingAfter(entry)) return null
      const shown = representation(entry, acceptEncoding)
      if (shown) counters.hit(primaryDomain ?? lowerHost, shown.body.byteLength)
      return shown
    },
    applyPurge(sequence, scopes, atMs) {
      marks.apply(sequence, scopes, atMs)
    },
    counters: () => counters.read(),
  }
}
