import { originAnswer, withoutBody, type Forwarded } from '../cache-status.ts'
import { hasBypassCookie } from '../cookies.ts'
import type { Counting } from '../counters.ts'
import type { KeyScheme } from '../key.ts'
import type { LayeredCache } from '../layered.ts'
import type { PageCacheContext } from '../page-cache.ts'
import { isExcluded } from '../policy.ts'
import { settledWithin } from '../settled-within.ts'
import { joinWithin } from '../turns.ts'
import type { CacheEntry, FillCoordinator, PurgeMarks, PurgeScope } from '../types.ts'
import { createUncacheableMarkers } from '../uncacheable-markers.ts'
import { requestDirectives } from './directives.ts'
import { httpAnswer } from './http-answer.ts'
import type { HttpCall } from './http-entry.ts'
import { createHttpFill, type HttpFill } from './http-fill.ts'
import { httpKey } from './http-key.ts'
import { createInvalidator, invalidated, isUnsafe } from './invalidation.ts'
import { reuseOf, servesOnError, storedDirectives, type Reuse } from './reuse.ts'
import { createSelectedEntries, type Found } from './selected-entries.ts'
import { allowsAuthorized } from './storability.ts'

export interface HttpCacheDeps {
  layers: LayeredCache
  marks: PurgeMarks
  coordinator: FillCoordinator
  counters: Counting
  nowMs(): number
  maxEntryBytes: number
  uncacheableMs: number
  followMs: number
  storeWaitMs: number
  background(work: Promise<unknown>): void
  /**
   * Purges in every process what an unsafe request changed; settles when the
   * purge is in force. Default: marks of this process only.
   */
  invalidate?(scopes: readonly PurgeScope[]): Promise<void>
}

/** A virtual host in `http` mode: a shared cache as RFC 9111 has it. */
export interface HttpCache {
  handle(
    request: Request,
    context: PageCacheContext,
    next: (request: Request) => Promise<Response>,
  ): Promise<Response>
}

/** Requests that are the origin's business alone, and are never shared. */
const passReason = (request: Request, context: PageCacheContext): string | null => {
  const { headers } = request
  const { exclude, bypass_cookies: cookies } = context.rule
  if (isExcluded(context.path, exclude)) return 'excluded'
  if (request.method !== 'GET' && request.method !== 'HEAD') return 'method'
  if (request.body !== null || headers.has('transfer-encoding')) return 'body'
  if (Number(headers.get('content-length') ?? 0) !== 0) return 'body'
  if (headers.has('if-match') || headers.has('if-unmodified-since')) return 'conditional'
  if (cookies !== null && hasBypassCookie(headers.get('cookie'), cookies)) return 'cookie'
  return null
}

/** Whether the origin may answer with less than everything: nobody can wait for such an answer. */
const isPartial = ({ headers }: Request): boolean =>
  headers.has('range') || headers.has('if-none-match') || headers.has('if-modified-since')

const drain = async (response: Response): Promise<void> => {
  const reader = response.body?.getReader()
  while (reader && !(await reader.read()).done);
}

/** See `HttpCache`. Entries live in the page cache's layers, under keys of their own. */
export const createHttpCache = (deps: HttpCacheDeps): HttpCache => {
  const { layers, marks, counters, nowMs } = deps
  const entries = createSelectedEntries(layers, marks)
  const uncacheable = createUncacheableMarkers({ forMs: deps.uncacheableMs, nowMs })
  const join = (found: Found) => joinWithin(deps.coordinator, found.key, deps.followMs)
  const refreshing = new Set<string>()
  const invalidate = createInvalidator((scopes) => {
    if (deps.invalidate) return deps.invalidate(scopes)
    marks.apply(marks.current() + 1, scopes, nowMs())
    return Promise.resolve()
  })
  const fill = createHttpFill({
    ...deps,
    entries,
    onStored(entry, call) {
      // What is stale at once is of no use to those who would wait for it.
      if ((entry.http?.freshUntilMs ?? 0) > nowMs()) uncacheable.clear(entry.key.id)
      else uncacheable.set(entry.key.id)
      counters.store(call.context.primaryDomain)
      call.context.refresh?.onStored(entry)
    },
  })

  const serve = (entry: CacheEntry, call: HttpCall, detail: string | null): Response => {
    const { response, bytes } = httpAnswer(entry, call.request, nowMs(), detail)
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
    return originAnswer(await call.next(call.request), forwarded, detail, { xCache })
  }
  const reuse = (entry: CacheEntry, call: HttpCall): Reuse =>
    reuseOf(entry, call.control, nowMs(), marks.isSoftPurged(entry))

  /** Asks the origin; `key` is the place whose answers are marked as not worth waiting for. */
  const ask = async (
    call: HttpCall,
    found: Found,
    forwarded: Forwarded,
    settle: HttpFill['settle'],
  ): Promise<Response> => {
    const { entry: known } = found
    const knownOnError = known !== null && servesOnError(known, call.control, nowMs())
    const filled = await fill({
      call,
      known,
      forwarded,
      knownOnError,
      settle(outcome) {
        if (outcome.kind === 'uncacheable') uncacheable.set(found.key.id)
        settle(outcome)
      },
    })
    if (filled.kind !== 'answer') {
      const detail = filled.kind === 'confirmed' ? 'revalidated' : 'stale-if-error'
      return serve(filled.entry, call, detail)
    }
    counters.miss(call.context.primaryDomain)
    if (call.request.method !== 'HEAD') return filled.response
    // The body is read for the cache, not for this client.
    const { status, statusText, headers } = filled.response
    deps.background(drain(filled.response))
    return new Response(null, { status, statusText, headers })
  }
  const nobody = (): void => undefined

  /** Asks in one's turn: one request per place, whose answer serves those who waited as well. */
  const askInTurn = async (
    call: HttpCall,
    found: Found,
    forwarded: Forwarded,
  ): Promise<Response> => {
    const alone = call.control.has('no-store') || call.control.has('no-cache')
    if (alone || uncacheable.has(found.key.id) || (!found.entry && isPartial(call.request))) {
      return ask(call, found, forwarded, nobody)
    }
    const turn = await join(found)
    if (turn?.role === 'leader') {
      // Another process may have stored it between the look-up and the turn.
      const entry = call.context.refresh ? null : await entries.newest(found, call)
      if (entry && reuse(entry, call) === 'serve') {
        turn.settle({ kind: 'stored', entry })
        return serve(entry, call, null)
      }
      return ask(call, { ...found, entry: entry ?? found.entry }, forwarded, turn.settle)
    }
    if (turn?.outcome.kind === 'stored') {
      const { entry } = turn.outcome
      const placed = await entries.placed(entry, call)
      const mine = entry.http !== undefined && placed.key.id === entry.key.id
      if (mine && !marks.isPurged(entry) && reuse(entry, call) === 'serve') {
        await entries.put(entry, call, false)
        call.context.refresh?.onStored(entry)
        return serve(entry, call, 'collapsed')
      }
    }
    if (turn?.outcome.kind === 'uncacheable') uncacheable.set(found.key.id)
    const { entry } = found
    if (turn?.outcome.kind === 'failed' && entry && servesOnError(entry, call.control, nowMs())) {
      return serve(entry, call, 'stale-if-error')
    }
    return ask(call, found, forwarded, nobody)
  }

  const refreshBehind = (call: HttpCall, found: Found): void => {
    const { id } = found.key
    if (refreshing.has(id)) return
    refreshing.add(id)
    const { url, headers } = call.request
    const own = { ...call, request: new Request(url, { headers }) }
    const work = async (): Promise<void> => {
      const turn = await join(found)
      if (turn?.role !== 'leader') return
      const filled = await fill({
        call: own,
        known: found.entry,
        forwarded: 'stale',
        knownOnError: true,
        settle: turn.settle,
      })
      if (filled.kind === 'answer') await drain(filled.response)
    }
    deps.background(work().finally(() => refreshing.delete(id)))
  }

  const answer = async (call: HttpCall): Promise<Response> => {
    const { request, control } = call
    const found = await entries.find(call)
    const { entry } = found
    const authorized = request.headers.has('authorization')
    // Stored for those without credentials; what others get is the origin's to say.
    if (entry && authorized && !allowsAuthorized(storedDirectives(entry))) {
      return pass(call, 'bypass', 'authorization', true)
    }
    const way = entry && !call.context.refresh ? reuse(entry, call) : 'validate'
    if (entry && way === 'serve') return serve(entry, call, null)
    if (entry && way === 'stale') return serve(entry, call, 'stale')
    if (entry && way === 'refresh') {
      refreshBehind(call, found)
      return serve(entry, call, 'stale-while-revalidate')
    }
    if (control.has('only-if-cached')) {
      const headers = {
        'cache-control': 'no-store',
        'cache-status': 'berth; detail=only-if-cached',
        'content-length': '0',
        'x-cache': 'MISS',
      }
      counters.miss(call.context.primaryDomain)
      return new Response(null, { status: 504, headers })
    }
    if (entry) {
      const fresh = nowMs() < (entry.http?.freshUntilMs ?? 0)
      return askInTurn(call, found, fresh ? 'request' : 'stale')
    }
    const forwarded = found.varies ? 'vary-miss' : 'uri-miss'
    if (request.method !== 'HEAD') return askInTurn(call, found, forwarded)
    counters.miss(call.context.primaryDomain)
    const response = withoutBody(await call.next(request))
    return originAnswer(response, forwarded, 'head', { xCache: true })
  }

  return {
    async handle(request, context, next) {
      if (request.headers.has('upgrade')) return next(request)
      const { search } = new URL(request.url)
      const ownQuery = search === '' ? null : search.slice(1)
      const query = context.query === undefined ? ownQuery : context.query
      const scheme: KeyScheme =
        context.schemeMatters === false ? null : context.secure ? 'https' : 'http'
      const key = httpKey(context.host, context.path, query, scheme)
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
