import type { CacheEntry } from '#edge-cache/index.ts'
import { FastHeads, type FastKind } from './fast-heads.ts'
import type { HttpClock } from '../http-clock.ts'
import { buildResponse, COPY_LIMIT_BYTES, type FastResponse } from '../write/wire-response.ts'
import { WriteScratch } from '../write/write-scratch.ts'

/** A ready answer for a protocol with frames of its own. */
export interface FieldResponse {
  status: 200 | 304
  /** `:status` and the fields, names and values in turn. Never changed once built. */
  fields: string[]
  /** Null when there is none. */
  body: Uint8Array | null
}

interface Prebuilt {
  answers: Partial<Record<FastKind, FastResponse>>
  fields: Partial<Record<FastKind, FieldResponse>>
}

/** `COPY_LIMIT_BYTES` for a response that is used once: a second piece costs less than to copy more. */
const COPY_ONCE_BYTES = 16_384
/** How often a response is asked for in a second before it is kept, when it is small and when it is not. */
const WORTH_KEEPING = { copied: 8, large: 16 }
/** Places in which requests of this second are counted; a power of two. */
const PLACES = 4096

/** A place that the entry has while its body stays where it is; others may have the same. */
const placeOf = ({ body, storedAtMs }: CacheEntry): number => {
  const mixed = Math.imul(body.byteOffset ^ (body.byteLength << 8) ^ storedAtMs, 0x9e3779b1)
  return (mixed >>> 16) & (PLACES - 1)
}

/**
 * Answers of cache entries, of each coding on its own. One that is asked for often
 * is kept until the next second (Age and Date change then), in a buffer of its own,
 * since a socket may still hold it; one asked for seldom is put together in room
 * that is used again. So what is paid for a page does not grow with the number of
 * pages that are asked for: buffers made by the thousand, and maps that grow to
 * thousands each second, bring on collections of garbage that all visitors feel.
 */
export class FastResponses {
  readonly #clock: HttpClock
  readonly #heads: FastHeads
  readonly #limitBytes: number
  readonly #scratch = new WriteScratch()
  #second = 0
  #builtBytes = 0
  /** What was asked for last in this second, by place; one that is kept stays. */
  readonly #entries = new Array<CacheEntry | null>(PLACES).fill(null)
  readonly #asked = new Uint8Array(PLACES)
  readonly #kept = new Array<Prebuilt | null>(PLACES).fill(null)

  /** `limitBytes`: about the most that all kept answers may take together. */
  constructor(clock: HttpClock, limitBytes: number) {
    this.#clock = clock
    this.#heads = new FastHeads(clock)
    this.#limitBytes = limitBytes
  }

  get(entry: CacheEntry, kind: FastKind): FastResponse {
    const kept = this.#keep(entry)
    if (kept === null) return this.#once(entry, kind)
    return (kept.answers[kind] ??= this.#build(entry, kind))
  }

  /** The system has all of the response that was got last. */
  written({ bytes }: FastResponse): void {
    this.#scratch.giveBack(bytes)
  }

  getFields(entry: CacheEntry, kind: FastKind): FieldResponse {
    const kept = this.#keep(entry)
    if (kept === null) return this.#buildFields(entry, kind)
    return (kept.fields[kind] ??= this.#buildFields(entry, kind))
  }

  /** What is kept of an entry; null for one that was not asked for often in this second. */
  #keep(entry: CacheEntry): Prebuilt | null {
    const { second } = this.#clock
    if (second !== this.#second) this.#begin(second)
    const place = placeOf(entry)
    const kept = this.#kept[place] ?? null
    if (this.#entries[place] !== entry) {
      if (kept === null) {
        this.#entries[place] = entry
        this.#asked[place] = 1
      }
      return null
    }
    if (kept !== null) return kept
    const asked = (this.#asked[place] ?? 0) + 1
    const isLarge = entry.body.byteLength > COPY_ONCE_BYTES
    if (asked < (isLarge ? WORTH_KEEPING.large : WORTH_KEEPING.copied)) {
      this.#asked[place] = asked
      return null
    }
    const size = Math.min(entry.body.byteLength, COPY_LIMIT_BYTES) + 1024
    if (this.#builtBytes + size > this.#limitBytes) return null
    this.#builtBytes += size
    const prebuilt: Prebuilt = { answers: {}, fields: {} }
    this.#kept[place] = prebuilt
    return prebuilt
  }

  /** Age and Date have changed; entries and their bodies are let go of. */
  #begin(second: number): void {
    this.#second = second
    this.#builtBytes = 0
    this.#entries.fill(null)
    this.#kept.fill(null)
  }

  #build(entry: CacheEntry, kind: FastKind): FastResponse {
    return buildResponse(this.#heads.text(entry, kind), kind === 'get' ? entry.body : null)
  }

  #once(entry: CacheEntry, kind: FastKind): FastResponse {
    if (kind === 'not-modified') return this.#build(entry, kind)
    const { body } = entry
    const headBytes = this.#heads.start(entry)
    const bodyBytes = kind === 'get' ? body.byteLength : 0
    const copied = bodyBytes <= COPY_ONCE_BYTES ? bodyBytes : 0
    // A site's fields may be long beyond what the scratch has in one piece.
    if (headBytes > COPY_LIMIT_BYTES) return this.#build(entry, kind)
    const bytes = this.#scratch.take(headBytes + copied)
    this.#heads.finish(bytes)
    if (copied > 0) bytes.set(body, headBytes)
    return { bytes, rest: bodyBytes > copied ? body : null, bodyBytes }
  }

  #buildFields(entry: CacheEntry, kind: FastKind): FieldResponse {
    const status = kind === 'not-modified' ? 304 : 200
    const body = kind === 'get' && entry.body.byteLength > 0 ? entry.body : null
    return { status, fields: this.#heads.fields(entry, kind), body }
  }
}
