import { CONTENT_CODINGS } from '../codings/encoding.ts'
import { isWorthEncoding } from '../codings/encoding-worth.ts'
import type { LayeredCache } from '../stores/layered.ts'
import type { CacheEntry, ContentCoding, EncodedBody } from '../types.ts'

/** Encodes bodies for the page cache, aside of the requests. */
export interface BodyEncoder {
  /** The body in the coding, the same bytes each time; null when it cannot be had. */
  encode(
    body: Uint8Array<ArrayBuffer>,
    coding: ContentCoding,
  ): Promise<Uint8Array<ArrayBuffer> | null>
  /** Whether requests need the machine more; the work then waits a moment. Default: never. */
  isBusy?(): boolean
  /** How long a page that another process filled is left to that one, milliseconds. Default 1000. */
  foreignMs?: number
}

/** Gives stored pages their encodings in the background. */
export interface EncodingMaker {
  /**
   * Takes note of a page; cheap when there is nothing to do. A page that another
   * process filled is left to that one for a moment: it then lies in the lower layer.
   */
  offer(entry: CacheEntry, origin: 'own' | 'foreign'): void
}

/** What encodes, and how much of it at once. */
export interface EncodingMakerDeps {
  encoder: BodyEncoder
  layers: LayeredCache
  /** Called before `by` stands in the place of `entry`. */
  onReplaced(entry: CacheEntry, by: CacheEntry): void
  /** Keeps the runtime alive for work that outlives the response. */
  background(work: Promise<unknown>): void
  /** Pages encoded at the same time. Default 1. */
  maxRunning?: number
  /** Bytes of pages that may wait; what comes on top stays as it is. Default 32 MiB. */
  maxWaitingBytes?: number
  /** How long a page waits at most for an idle moment. Default 5 s. */
  maxIdleWaitMs?: number
}

const PAUSE_MS = 100
/** Pages in a row that need no work before requests get their turn: a purge leaves thousands of them. */
const SKIPS_PER_TURN = 16
/** After each page the encoder rests for as long as it took, at most so long: beside a backlog visitors would wait for the processor. */
const MAX_REST_MS = 500
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What a `Content-Encoding` and `Vary` cost a response. */
const HEADER_BYTES = 64

/** Whether both come from the same response of the origin. */
const isSameFill = (one: CacheEntry, other: CacheEntry): boolean =>
  one.storedAtMs === other.storedAtMs &&
  one.sequence === other.sequence &&
  one.body.byteLength === other.body.byteLength

/** Works through pages one by one; nothing it does delays or breaks a response. */
export const createEncodingMaker = (deps: EncodingMakerDeps): EncodingMaker => {
  const { encoder, layers } = deps
  const maxRunning = deps.maxRunning ?? 1
  const maxWaitingBytes = deps.maxWaitingBytes ?? 32 * 2 ** 20
  const maxPauses = (deps.maxIdleWaitMs ?? 5000) / PAUSE_MS
  /** Ids of pages taken note of, waiting or running. */
  const pending = new Set<string>()
  const waiting: (() => void)[] = []
  let waitingBytes = 0
  let running = 0
  let skips = 0

  const turn = async (): Promise<void> => {
    if (running < maxRunning) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const done = (): void => {
    const next = waiting.shift()
    // The place is handed on, so that nobody can take it in between.
    if (next) next()
    else running--
  }
  const isHere = (entry: CacheEntry): boolean => layers.lookup(entry.key.id) === entry
  const isCurrent = (entry: CacheEntry, below: CacheEntry | null): boolean =>
    layers.hasL1 ? isHere(entry) : below !== null && isSameFill(entry, below)
  const skip = async (): Promise<void> => {
    // Promises alone would go through all that waits before any socket is looked at.
    if (++skips % SKIPS_PER_TURN === 0) await pause(0)
  }

  const encoded = async (entry: CacheEntry): Promise<EncodedBody[] | null> => {
    const encodings: EncodedBody[] = []
    for (const coding of CONTENT_CODINGS) {
      const body = await encoder.encode(entry.body, coding)
      if (body === null) return null
      if (body.byteLength + HEADER_BYTES < entry.body.byteLength) encodings.push({ coding, body })
    }
    return encodings
  }
  const work = async (entry: CacheEntry): Promise<void> => {
    if (layers.hasL1 && !isHere(entry)) return skip()
    const below = await layers.peek(entry.key)
    if (!isCurrent(entry, below)) return skip()
    let encodings = below && isSameFill(entry, below) ? below.encodings : null
    if (encodings === null) {
      for (let i = 0; i < maxPauses && encoder.isBusy?.() === true; i++) await pause(PAUSE_MS)
      const startMs = performance.now()
      encodings = await encoded(entry)
      await pause(Math.min(MAX_REST_MS, performance.now() - startMs))
    }
    if (encodings === null || !isCurrent(entry, below)) return
    const by: CacheEntry = { ...entry, encodings }
    deps.onReplaced(entry, by)
    await layers.replace(entry, by, isSameFill)
  }
  const make = async (entry: CacheEntry, origin: 'own' | 'foreign'): Promise<void> => {
    try {
      if (origin === 'foreign') await pause(encoder.foreignMs ?? 1000)
      await turn()
      try {
        await work(entry)
      } finally {
        done()
      }
    } finally {
      pending.delete(entry.key.id)
      waitingBytes -= entry.body.byteLength
    }
  }

  return {
    offer(entry, origin) {
      if (entry.encodings !== null || pending.has(entry.key.id)) return
      if (!isWorthEncoding(entry)) return
      if (waitingBytes + entry.body.byteLength > maxWaitingBytes) return
      pending.add(entry.key.id)
      waitingBytes += entry.body.byteLength
      deps.background(make(entry, origin))
    },
  }
}
