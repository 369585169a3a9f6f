import { responseFromEntry } from '../entry/response.ts'
import { originResponse, type Forwarded } from '../policy/cache-status.ts'
import type { Counting } from '../statistics/counters.ts'
import { representationFor } from '../codings/encoding-choice.ts'
import { createEncodingMaker } from './encoding-maker.ts'
import type { PageRequest } from '../fills/page-request.ts'
import type { PageCacheDeps } from './page-cache-deps.ts'
import { SCRIPT_CHECK_MS } from '../fields/script-header.ts'
import { freshnessOf } from '../entry/stale.ts'
import type { CacheEntry } from '../types.ts'

/** See `createPageServing`. */
export type PageServing = ReturnType<typeof createPageServing>

/** What entries are worth, and responses made from them. */
export const createPageServing = (
  deps: Pick<PageCacheDeps, 'layers' | 'marks' | 'nowMs' | 'encoder' | 'fileVersion' | 'sampler'>,
  counters: Counting,
  background: (work: Promise<unknown>) => void,
) => {
  const { layers, marks, nowMs } = deps
  /** When the origin last confirmed an entry that has to be looked after. */
  const confirmedAtMs = new WeakMap<CacheEntry, number>()
  const encodings = deps.encoder
    ? createEncodingMaker({
        encoder: deps.encoder,
        layers,
        background,
        onReplaced(entry, by) {
          const confirmed = confirmedAtMs.get(entry)
          if (confirmed !== undefined) confirm(by, confirmed)
        },
      })
    : null

  const confirm = (entry: CacheEntry, atMs: number): void => {
    // A million entries that nobody asks about would cost memory, and time at every collection of garbage.
    if (entry.revalidateSecs !== null) confirmedAtMs.set(entry, atMs)
  }
  const isUsable = (entry: CacheEntry): boolean =>
    layers.isTrusted() && freshnessOf(entry, marks, nowMs()) !== 'dead'
  const isFreshHere = (entry: CacheEntry): boolean =>
    layers.isTrusted() && freshnessOf(entry, marks, nowMs()) === 'fresh'
  /** What was made from a file is the origin's to confirm, what a script made is looked after here. */
  const needsLookingAfter = (entry: CacheEntry): boolean => {
    const { revalidateSecs } = entry
    if (revalidateSecs !== null) {
      return nowMs() - (confirmedAtMs.get(entry) ?? 0) >= revalidateSecs * 1000
    }
    if (!entry.script || !deps.fileVersion) return false
    return nowMs() - (confirmedAtMs.get(entry) ?? entry.storedAtMs) >= SCRIPT_CHECK_MS
  }
  /** Whether the script that made the page is still the one that is there. */
  const isOfPresentScript = async (entry: CacheEntry): Promise<boolean> => {
    if (!entry.script || !deps.fileVersion) return true
    // At once, so that one look serves all who ask meanwhile.
    confirmedAtMs.set(entry, nowMs())
    const found = await deps.fileVersion(entry.script.file).catch(() => null)
    return found !== null && found.version === entry.script.version
  }
  const pass = async (
    { request, next }: Pick<PageRequest, 'request' | 'next'>,
    why: { forwarded: Forwarded; detail: string | null; xCache: boolean },
  ): Promise<Response> =>
    originResponse(await next(request), why.forwarded, why.detail, { xCache: why.xCache })

  const serve = async (
    entry: CacheEntry,
    asked: PageRequest,
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
    if (count === 'hit') {
      encodings?.offer(entry, 'foreign')
      deps.sampler?.served(entry, asked)
    }
    const { response, bytes } = responseFromEntry(shown, request, nowMs(), detail)
    counters[count](context.primaryDomain, bytes)
    return response
  }
  const serveStale = (entry: CacheEntry, asked: PageRequest, detail: string): Promise<Response> =>
    serve(entry, asked, detail, 'staleHit')
  return {
    /** Takes note of when the origin said that the entry is right. */
    confirm,
    /** Forgets it, so that the origin is asked again. */
    unconfirm: (entry: CacheEntry) => confirmedAtMs.delete(entry),
    /** Takes note of a page that was filled here. */
    offer: (entry: CacheEntry) => encodings?.offer(entry, 'own'),
    isUsable,
    isFreshHere,
    needsLookingAfter,
    isOfPresentScript,
    pass,
    serve,
    serveStale,
  }
}
