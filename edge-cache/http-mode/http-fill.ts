import { seconds } from '../fields/cache-control.ts'
import { originResponse, type Forwarded } from '../policy/cache-status.ts'
import { captureBody } from '../entry/capture.ts'
import type { EntryHead } from '../entry/entry.ts'
import type { LayeredCache } from '../stores/layered.ts'
import { settledWithin } from '../fills/settled-within.ts'
import type { CacheEntry, FillOutcome, PurgeMarks } from '../types.ts'
import { httpEntryHead, updatedForOne, type HttpCall } from './http-entry.ts'
import type { SelectedEntries } from './selected-entries.ts'
import { confirms, freshenedHeaders, originRequest } from './validation.ts'

/** A request on its way to the origin. */
export interface HttpFill {
  call: HttpCall
  /** The stored response that is asked about; null: there is none. */
  known: CacheEntry | null
  /** Whether other requests have other responses at this address. */
  varies: boolean
  forwarded: Forwarded
  /** Whether `known` may stand in for an error. */
  knownOnError: boolean
  /** Called once, as soon as it is known what becomes of it. */
  settle(outcome: FillOutcome): void
}

/** The origin's response, or the stored one: confirmed by it, or in place of its error. */
export type Filled =
  { kind: 'response'; response: Response } | { kind: 'confirmed' | 'error'; entry: CacheEntry }

/** What a fill needs of the cache around it. */
export interface HttpFillDeps {
  maxEntryBytes: number
  storeWaitMs: number
  layers: LayeredCache
  entries: SelectedEntries
  marks: PurgeMarks
  /** Wall clock, milliseconds. */
  nowMs(): number
  /** Told before the entry is written to the layers. */
  onStored(entry: CacheEntry, call: HttpCall): void
}

const BODILESS: ReadonlySet<number> = new Set([204, 205])

/**
 * Asks the origin and stores what may be stored (RFC 9111, 3, 4.3 and 5). The
 * purge sequence is taken before, and compared when the body is complete.
 */
export const createHttpFill = (deps: HttpFillDeps) => {
  const { layers, marks, nowMs } = deps

  const store = async (entry: CacheEntry, fill: HttpFill): Promise<CacheEntry | null> => {
    const { call, known } = fill
    const placed = await deps.entries.placed(entry, call, fill.varies)
    if (marks.isPurged(placed)) return null
    if (known && known.key.id !== placed.key.id) await layers.delete(known.key)
    deps.onStored(placed, call)
    await settledWithin(deps.entries.put(placed, call), deps.storeWaitMs)
    return placed
  }

  const commit = async (
    fill: HttpFill,
    head: EntryHead,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<void> => {
    const entry = await store({ ...head, body }, fill)
    fill.settle(entry ? { kind: 'stored', entry } : { kind: 'failed' })
  }

  const capture = async (
    fill: HttpFill,
    head: EntryHead,
    response: Response,
  ): Promise<Response> => {
    const { status, statusText, headers, body } = response
    const declared = seconds(headers.get('content-length'))
    if (body === null) {
      const whole = BODILESS.has(status) || (declared ?? 0) === 0
      if (!whole) fill.settle({ kind: 'failed' })
      else await commit(fill, head, new Uint8Array(0))
      return response
    }
    const stream = captureBody(
      body,
      { declaredBytes: declared, maxBytes: deps.maxEntryBytes },
      {
        complete: (bytes) => commit(fill, head, bytes),
        overflow: () => {
          fill.settle({ kind: 'uncacheable' })
        },
        failed: () => {
          fill.settle({ kind: 'failed' })
        },
      },
    )
    return new Response(stream, { status, statusText, headers })
  }

  /** Stores the known response as the 304 updates it; it serves this client whatever becomes of it. */
  const confirm = async (
    fill: HttpFill,
    known: CacheEntry,
    headers: Headers,
    times: { askedAtMs: number; respondedAtMs: number; sequence: number },
  ): Promise<CacheEntry> => {
    const { status, body } = known
    const updated = freshenedHeaders(known, headers)
    const head = httpEntryHead(fill.call, { status, headers: updated }, times, known.tags)
    if (typeof head === 'string') {
      // What only this client's request or cookie forbids ends nothing for the others.
      if (head !== 'request' && head !== 'set-cookie') await layers.delete(known.key)
      fill.settle({ kind: 'uncacheable' })
      return updatedForOne(known, updated, times)
    }
    const entry = { ...head, body }
    const stored = await store(entry, fill)
    fill.settle(stored ? { kind: 'stored', entry: stored } : { kind: 'failed' })
    return stored ?? entry
  }

  const answered = (response: Response, fill: HttpFill, detail: string | null): Filled => ({
    kind: 'response',
    response: originResponse(response, fill.forwarded, detail, { xCache: true }),
  })

  const ask = async (fill: HttpFill): Promise<Filled> => {
    const { call, known } = fill
    const times = { askedAtMs: nowMs(), respondedAtMs: 0, sequence: marks.current() }
    let response = await call.next(originRequest(call.request, known))
    times.respondedAtMs = nowMs()
    if (known && response.status === 304) {
      if (confirms(response, known)) {
        return { kind: 'confirmed', entry: await confirm(fill, known, response.headers, times) }
      }
      // About something else than what was asked: only a whole response helps.
      await layers.delete(known.key)
      times.askedAtMs = nowMs()
      times.sequence = marks.current()
      response = await call.next(originRequest(call.request, null))
      times.respondedAtMs = nowMs()
    }
    if (known && fill.knownOnError && response.status >= 500) {
      response.body?.cancel().catch(() => undefined)
      fill.settle({ kind: 'failed' })
      return { kind: 'error', entry: known }
    }
    const head = httpEntryHead(call, response, times)
    const declared = seconds(response.headers.get('content-length')) ?? 0
    if (typeof head !== 'string' && declared <= deps.maxEntryBytes) {
      return answered(await capture(fill, head, response), fill, null)
    }
    fill.settle({ kind: 'uncacheable' })
    if (known && response.status < 500) await layers.delete(known.key)
    return answered(response, fill, typeof head === 'string' ? head : 'too-large')
  }

  return async (fill: HttpFill): Promise<Filled> => {
    try {
      return await ask(fill)
    } catch (error) {
      fill.settle({ kind: 'failed' })
      if (fill.known && fill.knownOnError) return { kind: 'error', entry: fill.known }
      throw error
    }
  }
}
