import { originAnswer, withoutBody, type Forwarded } from './cache-status.ts'
import { seconds } from './cache-control.ts'
import { captureBody } from './capture.ts'
import { entryHead, type EntryHead } from './entry.ts'
import { fillRequest, type Reduction } from './fill-request.ts'
import type { LayeredCache } from './layered.ts'
import type { PageCacheContext, PageVariant } from './page-cache.ts'
import { REVALIDATE_HEADER } from './revalidate-header.ts'
import { responseVerdict, type StoreRules, type UncacheableReason } from './policy.ts'
import { settledWithin } from './settled-within.ts'
import type { CacheEntry, CacheKey, FillOutcome, PurgeMarks } from './types.ts'

/** A request on its way to the origin. */
export interface Fill {
  request: Request
  context: PageCacheContext
  key: CacheKey
  next(request: Request): Promise<Response>
  /** Called once, as soon as it is known what becomes of the fill. */
  settle(outcome: FillOutcome): void
  rules: StoreRules
  variant: PageVariant
  /** The entry whose validity is asked for; the answer is null when it still holds. */
  known?: CacheEntry
  /** A stale entry that the new page replaces; the answer is null when the origin fails. */
  fallback?: CacheEntry
  /** No client waits for the answer. */
  unattended?: boolean
}

/** What the fill needs of the page cache around it. */
export interface OriginFillDeps {
  maxEntryBytes: number
  /** How long a client's last bytes may wait for the lower layer. */
  storeWaitMs: number
  layers: LayeredCache
  marks: PurgeMarks
  nowMs(): number
  background(work: Promise<unknown>): void
  onStored(entry: CacheEntry, askedAtMs: number, context: PageCacheContext): void
  /** Every layer has it. */
  onWritten(entry: CacheEntry): void
}

/** Validators of the entry as a conditional request. */
const conditions = (entry: CacheEntry | undefined): Record<string, string> => ({
  ...(entry?.etag ? { 'if-none-match': entry.etag } : {}),
  ...(entry?.lastModified && !entry.etag ? { 'if-modified-since': entry.lastModified } : {}),
})

/** Gone, or never there: a script answers so to everybody who sends what all browsers send. */
const ABSENT = new Set([404, 410])

/**
 * Whether an answer that is not for everybody has to be asked for with the
 * client's own request. What was read from a file is the same for all.
 */
const mustAskAgain = (reduction: Reduction, response: Response): boolean => {
  if (reduction === 'none' || response.headers.has(REVALIDATE_HEADER)) return false
  return reduction === 'material' || !ABSENT.has(response.status)
}

const discard = (response: Response): void => {
  response.body?.cancel().catch(() => undefined)
}

const drain = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}

/**
 * Asks the origin, gives the answer to the client and stores it where it may be
 * stored. The purge sequence is taken before the origin is asked and compared
 * when the body is complete, so that a page from before a purge is never stored
 * after it. Null when `known` still holds, and when there is a `fallback` for the
 * origin's failure.
 */
export const createOriginFill = (deps: OriginFillDeps) => {
  const { layers, marks, nowMs } = deps

  /** The head of the entry to be, or why the answer is not stored. */
  const judge = (
    fill: Fill,
    response: Response,
    sequence: number,
  ): EntryHead | UncacheableReason => {
    const now = nowMs()
    const verdict = responseVerdict(response, fill.rules, now)
    if (typeof verdict === 'string') return verdict
    const declared = seconds(response.headers.get('content-length'))
    if (declared !== null && declared > deps.maxEntryBytes) return 'too-large'
    const { key, context } = fill
    const { primaryDomain } = context
    const head = entryHead({
      key,
      primaryDomain,
      headers: response.headers,
      sequence,
      nowMs: now,
      ...verdict,
    })
    return head ?? 'tags'
  }

  const commit = async (
    fill: Fill,
    head: EntryHead,
    body: Uint8Array<ArrayBuffer>,
    askedAtMs: number,
  ): Promise<void> => {
    const entry: CacheEntry = { ...head, body }
    // An empty page is what a script leaves that died without a word.
    if (body.byteLength === 0 || marks.isPurged(entry)) {
      fill.settle({ kind: 'failed' })
      return
    }
    deps.onStored(entry, askedAtMs, fill.context)
    fill.context.refresh?.onStored(entry)
    // Followers in other processes look into the lower layer: it has the page before they are told.
    const put = layers.put(entry)
    void put.then(() => {
      deps.onWritten(entry)
    })
    await settledWithin(put, deps.storeWaitMs)
    fill.settle({ kind: 'stored', entry })
  }

  const capture = (
    fill: Fill,
    head: EntryHead,
    response: Response,
    askedAtMs: number,
  ): Response => {
    const { headers, statusText, body } = response
    const isHead = fill.request.method === 'HEAD'
    if (!body) {
      fill.settle({ kind: 'failed' })
      return response
    }
    const stream = captureBody(
      body,
      {
        declaredBytes: seconds(headers.get('content-length')),
        maxBytes: deps.maxEntryBytes,
      },
      {
        complete: (bytes) => commit(fill, head, bytes, askedAtMs),
        overflow: () => {
          fill.settle({ kind: 'uncacheable' })
        },
        failed: () => {
          fill.settle({ kind: 'failed' })
        },
      },
    )
    if (isHead) deps.background(drain(stream))
    return new Response(isHead ? null : stream, { status: 200, statusText, headers })
  }

  return async (fill: Fill): Promise<Response | null> => {
    const { request, next, known, fallback } = fill
    const askedAtMs = nowMs()
    const sequence = marks.current()
    const forwarded: Forwarded = known || fallback ? 'stale' : 'uri-miss'
    const { variant } = fill
    const asked = fillRequest(request, { conditions: conditions(known), variant })
    try {
      let response = await next(asked.request)
      if (known && response.status === 304) {
        fill.settle({ kind: 'stored', entry: known })
        return null
      }
      if (fallback && response.status >= 500) {
        discard(response)
        fill.settle({ kind: 'failed' })
        return null
      }
      const head = judge(fill, response, sequence)
      if (typeof head !== 'string') {
        const answer = capture(fill, head, response, askedAtMs)
        return originAnswer(answer, forwarded, null, { xCache: true })
      }
      fill.settle({ kind: 'uncacheable' })
      if (known || fallback) await layers.delete(fill.key)
      if (!fill.unattended && !fill.context.refresh && mustAskAgain(asked.reduction, response)) {
        // Not for everybody after all: the client's own request decides.
        discard(response)
        response = await next(request)
      } else if (request.method === 'HEAD') response = withoutBody(response)
      return originAnswer(response, forwarded, head, { xCache: true })
    } catch (error) {
      fill.settle({ kind: 'failed' })
      if (fallback) return null
      throw error
    }
  }
}
