import { NOT_MODIFIED_HEADERS } from '#edge-cache/index.ts'
import type { CacheEntry } from '#edge-cache/types.ts'
import { HOP_BY_HOP } from '../messages/hop-by-hop.ts'
import type { HttpClock } from './http-clock.ts'

export type HotKind = 'get' | 'head' | 'not-modified'

/** Lists of fields whose text is remembered; pages of a site often share one. */
const MAX_TEXTS = 256

/** The stored fields of an entry that its answer has, names and values in turn. */
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

/** Heads of answers from the cache, as text and as fields. */
export class HotHeads {
  readonly #clock: HttpClock
  #texts = new Map<CacheEntry['headers'], string>()

  constructor(clock: HttpClock) {
    this.#clock = clock
  }

  /** The whole head of an HTTP/1.1 answer. */
  text(entry: CacheEntry, kind: HotKind): string {
    const { httpDate } = this.#clock
    const length = kind === 'not-modified' ? '' : `content-length: ${entry.body.byteLength}\r\n`
    const line = kind === 'not-modified' ? '304 Not Modified' : '200 OK'
    return `HTTP/1.1 ${line}\r\n${this.#stored(entry, kind)}${length}date: ${httpDate}\r\nserver: Berth\r\nage: ${this.#ageSecs(entry)}\r\nx-cache: HIT\r\ncache-status: ${this.#status(entry)}\r\n\r\n`
  }

  /** `:status` and the fields, names and values in turn, as a protocol with frames has them. */
  fields(entry: CacheEntry, kind: HotKind): string[] {
    const notModified = kind === 'not-modified'
    const fields = [':status', notModified ? '304' : '200']
    fields.push(...storedFields(entry.headers, notModified))
    if (!notModified) fields.push('content-length', String(entry.body.byteLength))
    fields.push('date', this.#clock.httpDate, 'server', 'Berth')
    fields.push('age', String(this.#ageSecs(entry)))
    fields.push('x-cache', 'HIT', 'cache-status', this.#status(entry))
    return fields
  }

  #stored({ headers }: CacheEntry, kind: HotKind): string {
    if (kind === 'not-modified') return asText(storedFields(headers, true))
    const known = this.#texts.get(headers)
    if (known !== undefined) return known
    const text = asText(storedFields(headers, false))
    if (this.#texts.size >= MAX_TEXTS) this.#texts = new Map()
    this.#texts.set(headers, text)
    return text
  }

  #ageSecs({ storedAtMs }: CacheEntry): number {
    return Math.max(0, this.#clock.second - Math.floor(storedAtMs / 1000))
  }

  #status({ expiresAtMs }: CacheEntry): string {
    const ttlSecs = Math.max(0, Math.floor((expiresAtMs - this.#clock.nowMs) / 1000))
    return `berth; hit; ttl=${ttlSecs}`
  }
}
