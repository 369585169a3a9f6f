import { originResponse, withoutBody, type Forwarded } from '../policy/cache-status.ts'
import { seconds } from '../fields/cache-control.ts'
import { captureBody } from '../entry/capture.ts'
import { entryHead, entryOf, type EntryHead } from '../entry/entry.ts'
import { neutralRequest, visitorRequest } from '../fills/fill-request.ts'
import type { LayeredCache } from '../stores/layered.ts'
import { notModifiedBy } from '../entry/not-modified.ts'
import type { FileVersion } from './page-cache-deps.ts'
import { responseVerdict, type UncacheableReason } from '../policy/policy.ts'
import { bodyShows } from '../fills/reflection.ts'
import { SCRIPT_SETTLED_MS, type ScriptVersion } from '../fields/script-header.ts'
import { settledWithin } from '../fills/settled-within.ts'
import type { CacheEntry, PurgeMarks } from '../types.ts'
import { isFile, isForAll, type Fill } from './fill.ts'

/** What the fill needs of the page cache around it. */
export interface OriginFillDeps {
  maxEntryBytes: number
  /** How long a client's last bytes may wait for the lower layer. */
  storeWaitMs: number
  layers: LayeredCache
  marks: PurgeMarks
  /** Wall clock, milliseconds. */
  nowMs(): number
  /** Keeps the runtime alive for work that outlives the response. */
  background(work: Promise<unknown>): void
  fileVersion?: FileVersion
  /** Told before the page is written to the layers; `askedAtMs` is when the origin was asked. */
  onStored(entry: CacheEntry, askedAtMs: number, fill: Fill): void
  /** Every layer has it. */
  onWritten(entry: CacheEntry): void
  /** The address has a page for everybody, but this response is not it; `fill` is not settled. */
  onPersonal(fill: Fill): void
}

/** Validators of the entry as a conditional request. */
const conditions = (entry: CacheEntry | undefined): Record<string, string> => ({
  ...(entry?.etag ? { 'if-none-match': entry.etag } : {}),
  ...(entry?.lastModified && !entry.etag ? { 'if-modified-since': entry.lastModified } : {}),
})

const discard = (response: Response): void => {
  response.body?.cancel().catch(() => undefined)
}

const drain = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}

/** Responses to conditions and ranges: what they say follows from the request. */
const OF_THE_REQUEST = new Set([206, 304, 412, 416])

/** Gone, or never there. */
const ABSENT = new Set([404, 410])

/**
 * Asks the origin, gives the response to the client and stores it where it may be
 * stored. The purge sequence is taken before the origin is asked and compared
 * when the body is complete, so that a page from before a purge is never stored
 * after it. Null when `known` still holds, and when there is a `fallback` for the
 * origin's failure.
 */
export const createOriginFill = (deps: OriginFillDeps) => {
  const { layers, marks, nowMs } = deps

  const versionOf = async (file: string, askedAtMs: number): Promise<ScriptVersion> => {
    const found = await deps.fileVersion?.(file).catch(() => null)
    const isSettled = found && found.changedAtMs < askedAtMs - SCRIPT_SETTLED_MS
    return { file, version: isSettled ? found.version : '' }
  }

  /** The head of the entry to be, or why the response is not stored. */
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
    const script = head.script && (await versionOf(head.script.file, askedAtMs))
    const entry = await entryOf(script ? { ...head, script } : head, body)
    const isOwn =
      fill.way === 'visitor' &&
      head.revalidateSecs === null &&
      (await bodyShows(body, fill.chosen()))
    // An empty page is what a script leaves that died without a word.
    if (body.byteLength === 0 || marks.isPurged(entry)) {
      fill.settle({ kind: 'failed' })
      return
    }
    if (isOwn) {
      deps.onPersonal(fill)
      return
    }
    deps.onStored(entry, askedAtMs, fill)
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
    const isHead = fill.request.method === 'HEAD'
    if (isHead) deps.background(drain(stream))
    return new Response(isHead ? null : stream, { status: 200, statusText, headers })
  }

  const send = (fill: Fill): Promise<Response> => {
    const { request, variant, known, next } = fill
    if (fill.way === 'neutral') {
      return next(neutralRequest(request, { conditions: conditions(known), variant }), 'neutral')
    }
    if (fill.fitness !== 'ordinary') return next(request, 'visitor')
    const signal = fill.detached === false ? request.signal : undefined
    return next(visitorRequest(request, signal), 'visitor')
  }

  return async (fill: Fill): Promise<Response | null> => {
    const { request, next, known, fallback } = fill
    const askedAtMs = nowMs()
    const sequence = marks.current()
    const forwarded: Forwarded = known || fallback ? 'stale' : 'uri-miss'
    const answered = (response: Response, detail: string | null): Response =>
      originResponse(notModifiedBy(response, request), forwarded, detail, { xCache: true })
    try {
      const response = await send(fill)
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
        if (await isForAll(fill, head, response)) {
          return answered(capture(fill, head, response, askedAtMs), null)
        }
        // Of a request made by hand nothing follows: whoever comes next is asked for anew.
        if (fill.fitness === 'odd') fill.settle({ kind: 'failed' })
        else deps.onPersonal(fill)
        return answered(response, 'request')
      }
      if (fill.way === 'visitor') {
        if (fill.fitness === 'odd' || OF_THE_REQUEST.has(response.status)) {
          fill.settle({ kind: 'failed' })
          return answered(response, head)
        }
      }
      fill.settle({ kind: 'uncacheable' })
      // Of one visitor's request it does not follow that the page is nobody's any more, but for its absence.
      const isGone = fill.way === 'neutral' || ABSENT.has(response.status)
      if ((known || fallback) && isGone) await layers.delete(fill.key)
      const isAnothers = fill.way === 'neutral' && !isFile(response)
      if (isAnothers && !fill.unattended && !fill.context.refresh) {
        // Not for everybody after all: the client's own request decides.
        discard(response)
        return answered(await next(request, 'visitor'), head)
      }
      const isHead = request.method === 'HEAD' && fill.way === 'neutral'
      return answered(isHead ? withoutBody(response) : response, head)
    } catch (error) {
      fill.settle({ kind: 'failed' })
      if (fallback) return null
      throw error
    }
  }
}
