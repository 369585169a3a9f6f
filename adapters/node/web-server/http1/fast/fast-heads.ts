import { type CacheEntry, hasTag, NOT_MODIFIED_HEADERS, ownTag } from '#edge-cache/index.ts'
import { copyBytes, digitsOf, writeDigits, writeText } from '../../log/write-bytes.ts'
import { HOP_BY_HOP } from '../../../messages/hop-by-hop.ts'
import type { HttpClock } from '../http-clock.ts'

export type FastKind = 'get' | 'head' | 'not-modified'

/** Lists of fields whose text is remembered; pages of a site often share one. */
const MAX_TEXTS = 256

/** The stored fields of an entry that its response has, names and values in turn. */
const storedFields = (headers: CacheEntry['headers'], notModified: boolean): string[] => {
  const fields: string[] = []
  for (const [name, value] of headers) {
    if (name === 'content-length' || name === 'date' || name === 'server') continue
    if (HOP_BY_HOP.has(name)) continue
    if (notModified && !NOT_MODIFIED_HEADERS.has(name)) continue
    fields.push(name, value)
  }
  return fields
}

const asText = (fields: readonly string[]): string => {
  let text = ''
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`
  return text
}

const tagLine = (entry: CacheEntry): string => {
  const tag = ownTag(entry)
  return tag === null ? '' : `etag: ${tag}\r\n`
}

/** Between the age and what is left of the time to live, and behind that. */
const BEFORE_TTL = Buffer.from('\r\nx-cache: HIT\r\ncache-status: berth; hit; ttl=', 'latin1')
const BEFORE_TAG = Buffer.from('\r\netag: ', 'latin1')
const END = Buffer.from('\r\n\r\n', 'latin1')

/** A head up to the length of the body, and whether the origin's ETag is in it. */
interface Lead {
  bytes: Buffer
  isTagged: boolean
}

const NO_LEAD: Lead = { bytes: END, isTagged: true }

/** Heads of answers from the cache, as bytes, as text and as fields. */
export class FastHeads {
  readonly #clock: HttpClock
  #texts = new Map<CacheEntry['headers'], string>()
  #leads = new Map<CacheEntry['headers'], Lead>()
  /** The list of fields that was asked for last, and its lead: pages of a site often share one. */
  #lastHeaders: CacheEntry['headers'] | null = null
  #lead = NO_LEAD
  #date = ''
  /** From behind the length of the body to the age. */
  #middle: Buffer = END
  #size = 0
  #age = 0
  #ttl = 0
  /** Of our own; empty: there is none. */
  #tag = ''

  constructor(clock: HttpClock) {
    this.#clock = clock
  }

  /** Takes note of the entry and answers how many bytes its head has, as `text(entry, 'get')`. */
  start(entry: CacheEntry): number {
    const { httpDate } = this.#clock
    if (httpDate !== this.#date) {
      this.#date = httpDate
      this.#middle = Buffer.from(`\r\ndate: ${httpDate}\r\nserver: Berth\r\nage: `, 'latin1')
    }
    if (entry.headers !== this.#lastHeaders) {
      this.#lead = this.#leadOf(entry)
      this.#lastHeaders = entry.headers
    }
    this.#size = entry.body.byteLength
    this.#age = this.#ageSecs(entry)
    this.#ttl = this.#ttlSecs(entry)
    const numbers = digitsOf(this.#size) + digitsOf(this.#age) + digitsOf(this.#ttl)
    const { bytes, isTagged } = this.#lead
    this.#tag = isTagged ? '' : (entry.etag ?? '')
    const tagBytes = this.#tag === '' ? 0 : BEFORE_TAG.length + this.#tag.length
    const texts = bytes.length + this.#middle.length + BEFORE_TTL.length + END.length
    return numbers + texts + tagBytes
  }

  /** Writes the head of the entry of the last `start` to the beginning of `room`. */
  finish(room: Uint8Array): void {
    const { bytes } = this.#lead
    room.set(bytes)
    let at = writeDigits(this.#size, room, bytes.length)
    at = copyBytes(this.#middle, 0, this.#middle.length, room, at)
    at = writeDigits(this.#age, room, at)
    at = copyBytes(BEFORE_TTL, 0, BEFORE_TTL.length, room, at)
    at = writeDigits(this.#ttl, room, at)
    if (this.#tag !== '') {
      at = copyBytes(BEFORE_TAG, 0, BEFORE_TAG.length, room, at)
      at = writeText(this.#tag, room, at)
    }
    copyBytes(END, 0, END.length, room, at)
  }

  /** The whole head of an HTTP/1.1 answer. */
  text(entry: CacheEntry, kind: FastKind): string {
    const { httpDate } = this.#clock
    const length = kind === 'not-modified' ? '' : `content-length: ${entry.body.byteLength}\r\n`
    const line = kind === 'not-modified' ? '304 Not Modified' : '200 OK'
    return `HTTP/1.1 ${line}\r\n${this.#stored(entry, kind)}${length}date: ${httpDate}\r\nserver: Berth\r\nage: ${this.#ageSecs(entry)}\r\nx-cache: HIT\r\ncache-status: ${this.#status(entry)}\r\n${tagLine(entry)}\r\n`
  }

  /** `:status` and the fields, names and values in turn, as a protocol with frames has them. */
  fields(entry: CacheEntry, kind: FastKind): string[] {
    const notModified = kind === 'not-modified'
    const fields = [':status', notModified ? '304' : '200']
    fields.push(...storedFields(entry.headers, notModified))
    if (!notModified) fields.push('content-length', String(entry.body.byteLength))
    fields.push('date', this.#clock.httpDate, 'server', 'Berth')
    fields.push('age', String(this.#ageSecs(entry)))
    fields.push('x-cache', 'HIT', 'cache-status', this.#status(entry))
    const tag = ownTag(entry)
    if (tag !== null) fields.push('etag', tag)
    return fields
  }

  #stored({ headers }: CacheEntry, kind: FastKind): string {
    if (kind === 'not-modified') return asText(storedFields(headers, true))
    const known = this.#texts.get(headers)
    if (known !== undefined) return known
    const text = asText(storedFields(headers, false))
    if (this.#texts.size >= MAX_TEXTS) this.#texts = new Map()
    this.#texts.set(headers, text)
    return text
  }

  #leadOf(entry: CacheEntry): Lead {
    const { headers } = entry
    const known = this.#leads.get(headers)
    if (known !== undefined) return known
    const text = `HTTP/1.1 200 OK\r\n${this.#stored(entry, 'get')}content-length: `
    const lead = { bytes: Buffer.from(text, 'latin1'), isTagged: hasTag(headers) }
    if (this.#leads.size >= MAX_TEXTS) this.#leads = new Map()
    this.#leads.set(headers, lead)
    return lead
  }

  #ageSecs({ storedAtMs }: CacheEntry): number {
    const age = this.#clock.second - Math.floor(storedAtMs / 1000)
    return Math.max(0, Math.min(age, Number.MAX_SAFE_INTEGER))
  }

  #ttlSecs({ expiresAtMs }: CacheEntry): number {
    const leftSecs = Math.floor((expiresAtMs - this.#clock.nowMs) / 1000)
    return Math.max(0, Math.min(leftSecs, Number.MAX_SAFE_INTEGER))
  }

  #status(entry: CacheEntry): string {
    return `berth; hit; ttl=${this.#ttlSecs(entry)}`
  }
}
