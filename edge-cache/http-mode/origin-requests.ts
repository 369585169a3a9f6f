import type { Forwarded } from '../policy/cache-status.ts'
import { joinWithin } from '../fills/turns.ts'
import type { CacheEntry } from '../types.ts'
import { createUncacheableMarkers } from '../policy/uncacheable-markers.ts'
import type { HttpCacheDeps } from './http-cache-deps.ts'
import type { HttpCall } from './http-entry.ts'
import { createHttpFill, type HttpFill } from './http-fill.ts'
import { isPartial } from './pass-reason.ts'
import { servesOnError, type Reuse } from './reuse.ts'
import type { Found, SelectedEntries } from './selected-entries.ts'

/** Requests at the origin whose responses may be shared. */
export interface OriginRequests {
  /** Asks in one's turn: one request per place, whose response serves those who waited as well. */
  askInTurn(call: HttpCall, found: Found, forwarded: Forwarded): Promise<Response>
  /** Asks, once, behind the back of clients who get the stale response meanwhile. */
  refreshBehind(call: HttpCall, found: Found): void
}

const drain = async (response: Response): Promise<void> => {
  const reader = response.body?.getReader()
  while (reader && !(await reader.read()).done);
}

/** `serve` answers from an entry, `reuse` judges it; both are the cache's own. */
export const createOriginRequests = (
  deps: HttpCacheDeps & {
    entries: SelectedEntries
    serve(entry: CacheEntry, call: HttpCall, detail: string | null): Response
    reuse(entry: CacheEntry, call: HttpCall): Reuse
  },
): OriginRequests => {
  const { layers, marks, nowMs, entries, serve, reuse } = deps
  const uncacheable = createUncacheableMarkers({ forMs: deps.uncacheableMs, nowMs })
  const join = (found: Found) => joinWithin(deps.coordinator, found.key, deps.followMs)
  const refreshing = new Set<string>()
  const fill = createHttpFill({
    ...deps,
    onStored(entry, call) {
      // What is stale at once is of no use to those who would wait for it.
      if ((entry.http?.freshUntilMs ?? 0) > nowMs()) uncacheable.clear(entry.key.id)
      else uncacheable.set(entry.key.id)
      deps.counters.store(call.context.primaryDomain)
      call.context.refresh?.onStored(entry)
    },
  })

  /** Asks the origin at once. */
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
      varies: found.varies,
      forwarded,
      knownOnError,
      settle(outcome) {
        if (outcome.kind === 'uncacheable') uncacheable.set(found.key.id)
        settle(outcome)
      },
    })
    if (filled.kind !== 'response') {
      const detail = filled.kind === 'confirmed' ? 'revalidated' : 'stale-if-error'
      return serve(filled.entry, call, detail)
    }
    deps.counters.miss(call.context.primaryDomain)
    if (call.request.method !== 'HEAD') return filled.response
    // The body is read for the cache, not for this client.
    const { status, statusText, headers } = filled.response
    deps.background(drain(filled.response))
    return new Response(null, { status, statusText, headers })
  }
  const nobody = (): void => undefined

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
      const placed = await entries.placed(entry, call, found.varies)
      const mine = entry.http !== undefined && placed.key.id === entry.key.id
      if (mine && !marks.isPurged(entry) && reuse(entry, call) === 'serve') {
        const near = layers.lookup(entry.key.id)?.http
        if (near?.freshUntilMs !== entry.http?.freshUntilMs) await entries.put(entry, call, false)
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
        varies: found.varies,
        forwarded: 'stale',
        knownOnError: true,
        settle: turn.settle,
      })
      if (filled.kind === 'response') await drain(filled.response)
    }
    deps.background(work().finally(() => refreshing.delete(id)))
  }

  return { askInTurn, refreshBehind }
}
