import type { CacheEntry } from '#edge-cache/types.ts'
import type { HttpClock } from './http-clock.ts'
import { HOP_BY_HOP } from './response-head.ts'

/** An answer ready to be written. */
export interface HotAnswer {
  /** Head and, for small bodies, the body behind it. Never changed once built. */
  bytes: Buffer
  /** Body that follows in a second write; null when it is in `bytes` or there is none. */
  rest: Uint8Array | null
  /** Bytes of body, for the access log. */
  bodyBytes: number
}

/** The same answer for a protocol with frames of its own. */
export interface FieldAnswer {
  status: 200 | 304
  /** `:status` and the fields, names and values in turn. Never changed once built. */
  fields: string[]
  /** Null when there is none. */
  body: Uint8Array | null
}

type Kind = 'get' | 'head' | 'not-modified'
interface Prebuilt {
  second: number
  answers: Partial<Record<Kind, HotAnswer>>
  fields: Partial<Record<Kind, FieldAnswer>>
}

/** Bodies above this are written on their own instead of being copied behind the head. */
const COPY_LIMIT_BYTES = 65_536

/** Fields a 304 repeats (RFC 9110 15.4.5). */
const NOT_MODIFIED_FIELDS = new Set([
  'cache-control',
  'content-location',
  'etag',
  'expires',
  'last-modified',
  'vary',
])

/** Names and values in turn. */
const answerFields = (entry: CacheEntry, kind: Kind, clock: HttpClock): string[] => {
  const fields: string[] = []
  for (const [name, value] of entry.headers) {
    if (name === 'content-length' || name === 'date' || name === 'server') continue
    if (HOP_BY_HOP.has(name)) continue
    if (kind === 'not-modified' && !NOT_MODIFIED_FIELDS.has(name)) continue
    fields.push(name, value)
  }
  if (kind !== 'not-modified') fields.push('content-length', String(entry.body.byteLength))
  const ageSecs = Math.max(0, clock.second - Math.floor(entry.storedAtMs / 1000))
  const ttlSecs = Math.max(0, Math.floor((entry.expiresAtMs - clock.nowMs) / 1000))
  fields.push('date', clock.httpDate, 'server', 'Berth', 'age', String(ageSecs))
  fields.push('x-cache', 'HIT', 'cache-status', `berth; hit; ttl=${ttlSecs}`)
  return fields
}

const buildHead = (entry: CacheEntry, kind: Kind, clock: HttpClock): string => {
  let text = kind === 'not-modified' ? 'HTTP/1.1 304 Not Modified\r\n' : 'HTTP/1.1 200 OK\r\n'
  const fields = answerFields(entry, kind, clock)
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`
  return `${text}\r\n`
}

const buildFields = (entry: CacheEntry, kind: Kind, clock: HttpClock): FieldAnswer => {
  const status = kind === 'not-modified' ? 304 : 200
  const fields = [':status', String(status), ...answerFields(entry, kind, clock)]
  const body = kind === 'get' && entry.body.byteLength > 0 ? entry.body : null
  return { status, fields, body }
}

const build = (entry: CacheEntry, kind: Kind, clock: HttpClock): HotAnswer => {
  const head = buildHead(entry, kind, clock)
  const bodyBytes = kind === 'get' ? entry.body.byteLength : 0
  if (bodyBytes === 0 || bodyBytes > COPY_LIMIT_BYTES) {
    const rest = bodyBytes === 0 ? null : entry.body
    return { bytes: Buffer.from(head, 'latin1'), rest, bodyBytes }
  }
  const bytes = Buffer.allocUnsafeSlow(head.length + bodyBytes)
  bytes.write(head, 0, 'latin1')
  bytes.set(entry.body, head.length)
  return { bytes, rest: null, bodyBytes }
}

/**
 * Prebuilt answers of cache entries, of each coding on its own. Rebuilt when the second changed (Age and
 * Date), into a new buffer, since a socket may still hold the old one. Two
 * generations bound the memory: what was not asked for while a whole generation
 * filled up is forgotten.
 */
export class HotAnswers {
  readonly #clock: HttpClock
  readonly #generationBytes: number
  #young = new Map<CacheEntry, Prebuilt>()
  #old = new Map<CacheEntry, Prebuilt>()
  #youngBytes = 0

  /** `limitBytes`: about the most that all prebuilt answers may take together. */
  constructor(clock: HttpClock, limitBytes: number) {
    this.#clock = clock
    this.#generationBytes = limitBytes / 2
  }

  get(entry: CacheEntry, kind: Kind): HotAnswer {
    return (this.#current(entry).answers[kind] ??= build(entry, kind, this.#clock))
  }

  getFields(entry: CacheEntry, kind: Kind): FieldAnswer {
    return (this.#current(entry).fields[kind] ??= buildFields(entry, kind, this.#clock))
  }

  #current(entry: CacheEntry): Prebuilt {
    const prebuilt = this.#young.get(entry) ?? this.#admit(entry)
    if (prebuilt.second !== this.#clock.second) {
      prebuilt.second = this.#clock.second
      prebuilt.answers = {}
      prebuilt.fields = {}
    }
    return prebuilt
  }

  #admit(entry: CacheEntry): Prebuilt {
    const size = Math.min(entry.body.byteLength, COPY_LIMIT_BYTES) + 1024
    if (this.#youngBytes + size > this.#generationBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    const prebuilt = this.#old.get(entry) ?? { second: 0, answers: {}, fields: {} }
    this.#old.delete(entry)
    this.#young.set(entry, prebuilt)
    this.#youngBytes += size
    return prebuilt
  }
}
