import { changedPaths, createChangeBudget } from './changed-paths.ts'
import { createCounters } from '../statistics/counters.ts'
import { deviceClass } from '../address/device-class.ts'
import { representation } from '../codings/encoding-choice.ts'
import { withoutInternalHeaders } from '../entry/headers.ts'
import { createHttpCache } from '../http-mode/create-http-cache.ts'
import { createInvalidator } from '../http-mode/invalidation.ts'
import { bypassOf } from '../policy/cache-status.ts'
import { cacheKey, editionVariant } from '../address/key.ts'
import { pageAddress } from '../address/page-address.ts'
import type { PageRequest } from '../fills/page-request.ts'
import type { PageCacheDeps } from './page-cache-deps.ts'
import { FOLLOW_MS, MAX_ENTRY_BYTES, STORE_WAIT_MS, UNCACHEABLE_MS } from './page-cache-limits.ts'
import type { PageCache } from './page-cache.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import { createPageFills } from './page-fills.ts'
import { createPageServing } from './page-serving.ts'
import { requestBypass } from '../policy/policy.ts'
import { purgeScript } from '../purge/purge-scopes.ts'
import { createStaleResponses } from './stale-responses.ts'

export type { PageCacheDeps } from './page-cache-deps.ts'

const NO_PARAMS: readonly string[] = []

/** The page cache over its layers; see `PageCache`. */
export const createPageCache = (deps: PageCacheDeps): PageCache => {
  const { layers, marks, coordinator, nowMs } = deps
  const counters = createCounters()
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
    maxEntryBytes: deps.maxEntryBytes ?? MAX_ENTRY_BYTES,
    uncacheableMs: deps.uncacheableMs ?? UNCACHEABLE_MS,
    followMs: deps.followMs ?? FOLLOW_MS,
    storeWaitMs: deps.storeWaitMs ?? STORE_WAIT_MS,
    background,
    ...(deps.invalidate ? { invalidate: deps.invalidate } : {}),
  })
  const serving = createPageServing(deps, counters, background)
  const fills = createPageFills(deps, serving, counters, background)
  const serveStale = createStaleResponses(deps, serving, fills, background)
  const { isFreshHere, needsLookingAfter, isOfPresentScript, pass, serve } = serving
  const { uncacheable, variesByDevice, miss, revalidate } = fills

  const invalidate = createInvalidator(
    deps.invalidate ??
      ((scopes) => {
        marks.apply(marks.current() + 1, scopes, nowMs())
        return Promise.resolve()
      }),
  )
  const changes = createChangeBudget(nowMs)
  /** Before the response leaves, so that whoever changed a page sees the change. */
  const invalidateChanged = async (
    request: Request,
    context: PageCacheContext,
    response: Response,
  ): Promise<void> => {
    const paths = changedPaths(request, context, response)
    if (paths.length === 0) return
    const isStored = async (path: string): Promise<boolean> => {
      for (const device of [null, 'mobile', 'desktop'] as const)
        for (const scheme of ['https', 'http', null] as const) {
          const variant = editionVariant(device, context.edition)
          if (await layers.get(cacheKey(context.host, path, scheme, variant))) return true
        }
      return false
    }
    await invalidate(await changes.scopes(context, paths, isStored)).catch(() => undefined)
  }

  const lookupAt: PageCache['lookupAt'] = (address, acceptEncoding, primaryDomain) => {
    if (deps.enabled === false) return null
    const entry = layers.lookup(address.own) ?? layers.lookup(address.shared)
    if (!entry || needsLookingAfter(entry)) return null
    // The slow path knows who asks.
    if (deps.sampler?.watches(entry.key.id) === true) return null
    const shown = representation(entry, acceptEncoding)
    if (shown) counters.hit(primaryDomain, shown.body.byteLength)
    return shown
  }

  return {
    async handle(request, context, next) {
      const { rule, primaryDomain } = context
      if (deps.enabled === false || !rule.enable) return withoutInternalHeaders(await next(request))
      if (rule.mode === 'http') return http.handle(request, context, next)
      const ignored = rule.ignore_query_params ?? deps.ignoreQueryParams ?? NO_PARAMS
      const reason = requestBypass(request, context.path, rule, ignored, context.learned)
      if (reason === 'upgrade') return next(request)
      if (reason) {
        counters.bypass(primaryDomain, reason)
        const xCache = reason !== 'method' && reason !== 'excluded'
        const forwarded = reason === 'method' ? 'method' : 'bypass'
        const response = await pass({ request, next }, { forwarded, detail: reason, xCache })
        if (reason === 'method') await invalidateChanged(request, context, response)
        return response
      }
      const { headers } = request
      const variant = variesByDevice(context) ? deviceClass(headers.get('user-agent')) : null
      const scheme = context.schemeMatters === false ? null : context.secure ? 'https' : 'http'
      const key = cacheKey(
        context.host,
        context.path,
        scheme,
        editionVariant(variant, context.edition),
      )
      const asked: PageRequest = { request, context, key, variant, next }
      // Of what was not cacheable a moment ago (every image, script, form) the disk knows nothing.
      const entry = uncacheable.has(key.id) ? layers.lookup(key.id) : await layers.get(key)
      if (!entry || context.refresh) return miss(asked)
      if (!isFreshHere(entry)) return serveStale(entry, asked)
      if (needsLookingAfter(entry)) {
        if (!entry.script) return revalidate(entry, asked)
        if (!(await isOfPresentScript(entry))) {
          await invalidate(purgeScript(primaryDomain, entry.script.file)).catch(() => undefined)
          return miss(asked)
        }
      }
      return serve(entry, asked, null)
    },
    lookup(host, path, secure, acceptEncoding = null, primaryDomain, device = null, edition = '') {
      const address = pageAddress(host.toLowerCase(), path, secure, device, edition)
      return lookupAt(address, acceptEncoding, primaryDomain ?? address.host)
    },
    lookupAt,
    storedElsewhere: uncacheable.clear,
    countRepeated(primaryDomain, cacheStatus) {
      const reason = bypassOf(cacheStatus)
      if (reason === null) counters.miss(primaryDomain)
      else counters.bypass(primaryDomain, reason)
    },
    applyPurge(sequence, scopes, atMs) {
      marks.apply(sequence, scopes, atMs)
    },
    tally: counters.tally,
    counters: () => counters.read(),
  }
}
