import { answerFromEntry } from './answer.ts'
import { originAnswer, type Forwarded } from './cache-status.ts'
import { createCounters } from './counters.ts'
import { representation, representationFor } from './encoding-choice.ts'
import { createEncodingMaker, type BodyEncoder } from './encoding-maker.ts'
import { withoutInternalHeaders } from './headers.ts'
import { cacheKey, keyId } from './key.ts'
import type { LayeredCache } from './layered.ts'
import { createOriginFill, type Fill } from './origin-fill.ts'
import type { PageCache, PageCacheContext } from './page-cache.ts'
import { isPartial, requestBypass } from './policy.ts'
import { settledWithin } from './settled-within.ts'
import type { CacheEntry, CacheKey, FillCoordinator, FillOutcome, PurgeMarks } from './types.ts'
import { createUncacheableMarkers } from './uncacheable-markers.ts'
import { fillRequest } from './fill-request.ts'

export interface PageCacheDeps {
  /** `[cache] enable`; false passes everything through. Default true. */
  enabled?: boolean
  defaultTtlSecs: number
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
  /** Gives stored pages their bodies in other codings; without it they are answered as they came. */
  encoder?: BodyEncoder
  /** Keeps the runtime alive for work that outlives the answer. */
  background?(work: Promise<unknown>): void
}

type Next = (request: Request) => Promise<Response>
type Joined = Awaited<ReturnType<FillCoordinator['join']>>

/** The page cache over its layers; see `PageCache`. */
export const createPageCache = (deps: PageCacheDeps): PageCache => {
  const { layers, marks, coordinator, nowMs } = deps
  const followMs = deps.followMs ?? 30_000
  const counters = createCounters()
  const uncacheable = createUncacheableMarkers({ forMs: deps.uncacheableMs ?? 10_000, nowMs })
  /** When the origin last confirmed an entry that has to be looked after. */
  const confirmedAtMs = new WeakMap<CacheEntry, number>()
  const background = (work: Promise<unknown>): void => {
    const quiet = work.catch(() => undefined)
    deps.background?.(quiet)
  }
  const fillFromOrigin = createOriginFill({
    defaultTtlSecs: deps.defaultTtlSecs,
    maxEntryBytes: deps.maxEntryBytes ?? 8 * 2 ** 20,
    storeWaitMs: deps.storeWaitMs ?? 250,
    layers,
    marks,
    nowMs,
    background,
    onStored(entry, askedAtMs) {
      confirmedAtMs.set(entry, askedAtMs)
      uncacheable.clear(entry.key.id)
      counters.store()
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

  const needsLookingAfter = (entry: CacheEntry): boolean =>
    entry.revalidateSecs !== null &&
    nowMs() - (confirmedAtMs.get(entry) ?? 0) >= entry.revalidateSecs * 1000

  const pass = async (
    request: Request,
    next: Next,
    why: { forwarded: Forwarded; detail: string | null; xCache: boolean },
  ): Promise<Response> =>
    originAnswer(await next(request), why.forwarded, why.detail, { xCache: why.xCache })

  const serve = async (
    entry: CacheEntry,
    request: Request,
    next: Next,
    detail: string | null,
  ): Promise<Response> => {
    const shown = representationFor(entry, request)
    if (shown === null) {
      // Stored in a coding that this client does not accept: the origin may know another.
      counters.bypass('encoding')
      return pass(request, next, { forwarded: 'bypass', detail: 'encoding', xCache: true })
    }
    encodings?.offer(entry, 'foreign')
    const { response, bytes } = answerFromEntry(shown, request, nowMs(), detail)
    counters.hit(bytes)
    return response
  }
  const fill = async (
    request: Request,
    context: PageCacheContext,
    key: CacheKey,
    next: Next,
    settle: (outcome: FillOutcome) => void,
    known: CacheEntry | null = null,
  ): Promise<Response | null> => {
    const work: Fill = {
      request,
      context,
      key,
      next,
      known,
      settle(outcome) {
        if (outcome.kind === 'uncacheable') uncacheable.set(key.id)
        settle(outcome)
      },
    }
    const answer = await fillFromOrigin(work)
    if (answer) counters.miss()
    return answer
  }

  /** Asks without waiting for others, and stores if the request is as everybody's. */
  const direct = async (
    request: Request,
    context: PageCacheContext,
    key: CacheKey,
    next: Next,
  ): Promise<Response> => {
    if (!isPartial(request.headers) && !fillRequest(request).reduced) {
      const answer = await fill(request, context, key, next, () => undefined)
      if (answer) return answer
    }
    counters.miss()
    return pass(request, next, { forwarded: 'uri-miss', detail: null, xCache: true })
  }

  const revalidate = async (
    entry: CacheEntry,
    request: Request,
    context: PageCacheContext,
    next: Next,
  ): Promise<Response> => {
    // At once, so that others are served meanwhile instead of asking too.
    confirmedAtMs.set(entry, nowMs())
    try {
      const answer = await fill(request, context, entry.key, next, () => undefined, entry)
      return answer ?? serve(entry, request, next, 'revalidated')
    } catch (error) {
      confirmedAtMs.delete(entry)
      throw error
    }
  }

  /** Null when the coordinator is gone or the leader takes too long. */
  const join = async (key: CacheKey): Promise<Joined | null> => {
    const joining = coordinator.join(key)
    if (await settledWithin(joining, followMs)) return joining.catch(() => null)
    // Should the turn still come, it is handed on.
    joining.then(
      (late) => {
        if (late.role === 'leader') late.settle({ kind: 'failed' })
      },
      () => undefined,
    )
    return null
  }

  const miss = async (
    request: Request,
    context: PageCacheContext,
    key: CacheKey,
    next: Next,
  ): Promise<Response> => {
    if (isPartial(request.headers) || uncacheable.has(key.id)) {
      return direct(request, context, key, next)
    }
    const joined = await join(key)
    if (joined?.role === 'leader') {
      // Another process may have stored it between the look-up and the turn.
      const entry = context.refresh ? null : await layers.get(key)
      if (entry) {
        joined.settle({ kind: 'stored', entry })
        return serve(entry, request, next, null)
      }
      const answer = await fill(request, context, key, next, joined.settle)
      return answer ?? direct(request, context, key, next)
    }
    if (joined?.outcome.kind === 'stored') {
      // Perhaps from another process, and from before a purge that is known here.
      const { entry } = joined.outcome
      if (entry.key.id === key.id && !marks.isPurged(entry) && nowMs() < entry.expiresAtMs) {
        if (context.refresh || layers.lookup(key.id) === null) {
          confirmedAtMs.set(entry, nowMs())
          layers.promote(entry)
        }
        context.refresh?.onStored(entry)
        return serve(entry, request, next, 'collapsed')
      }
    }
    if (joined?.outcome.kind === 'uncacheable') uncacheable.set(key.id)
    return direct(request, context, key, next)
  }

  return {
    async handle(request, context, next) {
      const { rule } = context
      if (deps.enabled === false || !rule.enable) return withoutInternalHeaders(await next(request))
      const reason = requestBypass(request, context.path, rule)
      if (reason === 'upgrade') return next(request)
      if (reason) {
        counters.bypass(reason)
        const xCache = reason !== 'method' && reason !== 'excluded'
        const forwarded = reason === 'method' ? 'method' : 'bypass'
        return pass(request, next, { forwarded, detail: reason, xCache })
      }
      const scheme = context.schemeMatters === false ? null : context.secure ? 'https' : 'http'
      const key = cacheKey(context.host, context.path, scheme)
      // Of what was not cacheable a moment ago (every image, script, form) the disk knows nothing.
      const entry = uncacheable.has(key.id) ? layers.lookup(key.id) : await layers.get(key)
      if (!entry || context.refresh) return miss(request, context, key, next)
      if (needsLookingAfter(entry)) return revalidate(entry, request, context, next)
      return serve(entry, request, next, null)
    },
    lookup(host, path, secure, acceptEncoding = null) {
      if (deps.enabled === false) return null
      const lowerHost = host.toLowerCase()
      const entry =
        layers.lookup(keyId(lowerHost, path, secure ? 'https' : 'http')) ??
        layers.lookup(keyId(lowerHost, path, null))
      if (!entry || needsLookingAfter(entry)) return null
      const shown = representation(entry, acceptEncoding)
      if (shown) counters.hit(shown.body.byteLength)
      return shown
    },
    applyPurge(sequence, scopes, atMs) {
      marks.apply(sequence, scopes, atMs)
    },
    counters: () => counters.read(),
  }
}
