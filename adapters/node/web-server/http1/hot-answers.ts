import type { CacheEntry } from '#edge-cache/types.ts'
import type { HttpClock } from './http-clock.ts'

/** An answer ready to be written. */
export interface HotAnswer {
  /** Head and, for small bodies, the body behind it. Never changed once built. */
  bytes: Buffer
  /** Body that follows in a second write; null when it is in `bytes` or there is none. */
  rest: Uint8Array | null
  /** Bytes of body, for the access log. */
  bodyBytes: number
}

type Kind = 'get' | 'head' | 'not-modified'
interface Prebuilt {
  second: number
  answers: Partial<Record<Kind, HotAnswer>>
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

const buildHead = (entry: CacheEntry, kind: Kind, clock: HttpClock): string => {
  let text = kind === 'not-modified' ? 'HTTP/1.1 304 Not Modified\r\n' : 'HTTP/1.1 200 OK\r\n'
  for (const [name, value] of entry.headers) {
    if (name === 'content-length' || name === 'date' || name === 'server') continue
    if (kind === 'not-modified' && !NOT_MODIFIED_FIELDS.has(name)) continue
    text += `${name}: ${value}\r\n`
  }
  if (kind !== 'not-modified') text += `content-length: ${entry.body.byteLength}\r\n`
  const ageSecs = Math.max(0, clock.second - Math.floor(entry.storedAtMs / 1000))
  const ttlSecs = Math.max(0, Math.floor((entry.expiresAtMs - clock.nowMs) / 1000))
  return `${text}date: ${clock.httpDate}\r\nserver: Berth\r\nage: ${ageSecs}\r\nx-cache: HIT\r\ncache-status: berth; hit; ttl=${ttlSecs}\r\n\r\n`
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
    const prebuilt = this.#young.get(entry) ?? this.#admit(entry)
    if (prebuilt.second !== this.#clock.second) {
      prebuilt.second = this.#clock.second
      prebuilt.answers = {}
    }
    return (prebuilt.answers[kind] ??= build(entry, kind, this.#clock))
  }

  #admit(entry: CacheEntry): Prebuilt {
    const size = Math.min(entry.body.byteLength, COPY_LIMIT_BYTES) + 1024
    if (this.#youngBytes + size > this.#generationBytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    const prebuilt = this.#old.get(entry) ?? { second: 0, answers: {} }
    this.#old.delete(entry)
    this.#young.set(entry, prebuilt)
    this.#youngBytes += size
    return prebuilt
  }
}
