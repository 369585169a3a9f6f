import { originResponse, withoutBody, type Forwarded } from '../policy/cache-status.ts'
import type { KeyScheme } from '../address/key.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import { settledWithin } from '../fills/settled-within.ts'
import type { CacheEntry } from '../types.ts'
import { requestDirectives } from './directives.ts'
import { httpResponse } from './http-response.ts'
import type { HttpCacheDeps } from './http-cache-deps.ts'
import type { HttpCall } from './http-entry.ts'
import { httpKey } from './http-key.ts'
import { createInvalidator, invalidated, isUnsafe } from './invalidation.ts'
import { createOriginRequests } from './origin-requests.ts'
import { passReason } from './pass-reason.ts'
import { reuseOf, storedDirectives, type Reuse } from './reuse.ts'
import { createSelectedEntries } from './selected-entries.ts'
import { allowsAuthorized } from './storability.ts'

/** A virtual host in `http` mode: a shared cache as RFC 9111 has it. */
export interface HttpCache {
  /**
   * Answers from the store, or asks `next`; rejects as `next` does where nothing stored may
   * stand in.
   */
  handle(
    request: Request,
    context: PageCacheContext,
    next: (request: Request) => Promise<Response>,
  ): Promise<Response>
}

/** See `HttpCache`. Entries live in the page cache's layers, under keys of their own. */
export const createHttpCache = (deps: HttpCacheDeps): HttpCache => {
  const { marks, counters, nowMs } = deps
  const entries = createSelectedEntries(deps)
  const invalidate = createInvalidator((scopes) => {
    if (deps.invalidate) return deps.invalidate(scopes)
    marks.apply(marks.current() + 1, scopes, nowMs())
    return Promise.resolve()
  })
  const serve = (entry: CacheEntry, call: HttpCall, detail: string | null): Response => {
    const { response, bytes } = httpResponse(entry, call.request, nowMs(), detail)
    const stale = detail !== null && detail.startsWith('stale')
    counters[stale ? 'staleHit' : 'hit'](call.context.primaryDomain, bytes)
    return response
  }
  const pass = async (
    call: HttpCall,
    forwarded: Forwarded,
    detail: string,
    xCache: boolean,
  ): Promise<Response> => {
    counters.bypass(call.context.primaryDomain, detail)
    return originResponse(await call.next(call.request), forwarded, detail, { xCache })
  }
  const reuse = (entry: CacheEntry, call: HttpCall): Reuse =>
    reuseOf(entry, call.control, nowMs(), marks.isSoftPurged(entry))
  const { askInTurn, refreshBehind } = createOriginRequests({ ...deps, entries, serve, reuse })

  /** For who wants nothing from the origin (RFC 9111, 5.2.1.7). */
  const nothingCached = (call: HttpCall): Response => {
    const headers = {
      'cache-control': 'no-store',
      'cache-status': 'berth; detail=only-if-cached',
      'content-length': '0',
      'x-cache': 'MISS',
    }
    counters.miss(call.context.primaryDomain)
    return new Response(null, { status: 504, headers })
  }

  const answer = async (call: HttpCall): Promise<Response> => {
    const { request, control } = call
    const found = await entries.find(call)
    const { entry } = found
    const authorized = request.headers.has('authorization')
    // Stored for those without credentials; what others get is the origin's to say.
    if (entry && authorized && !allowsAuthorized(storedDirectives(entry))) {
      if (control.has('only-if-cached')) return nothingCached(call)
      return pass(call, 'bypass', 'authorization', true)
    }
    const way = entry && !call.context.refresh ? reuse(entry, call) : 'validate'
    if (entry && way === 'serve') return serve(entry, call, null)
    if (entry && way === 'stale') return serve(entry, call, 'stale')
    if (entry && way === 'refresh') {
      refreshBehind(call, found)
      return serve(entry, call, 'stale-while-revalidate')
    }
    if (control.has('only-if-cached')) return nothingCached(call)
    if (entry) {
      const fresh = nowMs() < (entry.http?.freshUntilMs ?? 0)
      return askInTurn(call, found, fresh ? 'request' : 'stale')
    }
    const forwarded = found.varies ? 'vary-miss' : 'uri-miss'
    if (request.method !== 'HEAD') return askInTurn(call, found, forwarded)
    counters.miss(call.context.primaryDomain)
    const response = withoutBody(await call.next(request))
    return originResponse(response, forwarded, 'head', { xCache: true })
  }

  return {
    async handle(request, context, next) {
      if (request.headers.has('upgrade')) return next(request)
      const { search } = new URL(request.url)
      const ownQuery = search === '' ? null : search.slice(1)
      const query = context.query === undefined ? ownQuery : context.query
      const scheme: KeyScheme =
        context.schemeMatters === false ? null : context.secure ? 'https' : 'http'
      const key = httpKey(context.host, context.path, query, scheme, context.edition)
      const control = requestDirectives(request.headers)
      const call: HttpCall = { request, control, context, key, query, next }
      const reason = passReason(request, context)
      if (!isUnsafe(request.method)) {
        if (reason === null) return answer(call)
        const forwarded = reason === 'method' ? 'method' : 'bypass'
        return pass(call, forwarded, reason, reason !== 'method' && reason !== 'excluded')
      }
      const response = await pass(call, 'method', reason ?? 'method', false)
      const scopes = invalidated(call, response)
      await settledWithin(invalidate(scopes), deps.followMs)
      return response
    },
  }
}
