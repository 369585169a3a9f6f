import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { hitEnding } from '../../log/access-log.ts'
import type { FieldResponse } from './fast-responses.ts'
import type { FastKind } from './fast-heads.ts'
import type { HttpClock } from '../http-clock.ts'
import { buildResponse, type FastResponse } from '../write/wire-response.ts'

/** The response that a file was sent with. */
export interface SentFile {
  vhost: VirtualHostConfig
  /** Edition of the site's rules that it was made under. */
  edition: string
  /** Before anything of it was judged, milliseconds. */
  judgedAtMs: number
  /** End-to-end fields of the response to a GET, without `date` and `content-length`. */
  fields: readonly (readonly [name: string, value: string])[]
  body: Buffer
}

/** Fields that speak of a body (RFC 9110 15.4.5): a 304 has none. */
const OF_BODY = new Set(['content-encoding', 'content-language', 'content-type'])

/**
 * The response with a whole file, ready to be given again. Heads are built when the
 * second changed (Date), into new buffers, since a socket may still hold the old.
 */
export class FastFile {
  readonly vhost: VirtualHostConfig
  readonly edition: string
  readonly judgedAtMs: number
  readonly etag: string | null
  readonly body: Buffer
  /** Value of X-Cache and of Cache-Status; null where the response has none. */
  readonly xCache: string | null
  readonly cacheStatus: string | null
  /** See `hitEnding`. */
  readonly logEnding: Uint8Array
  /** How many were sent the slow path before its time, to renew it. */
  renewals = 0
  readonly #fields: SentFile['fields']
  #second = 0
  #answers: Partial<Record<FastKind, FastResponse>> = {}
  #fieldResponses: Partial<Record<FastKind, FieldResponse>> = {}

  constructor(sent: SentFile) {
    this.vhost = sent.vhost
    this.edition = sent.edition
    this.judgedAtMs = sent.judgedAtMs
    this.body = sent.body
    this.#fields = sent.fields
    const value = (name: string): string | null =>
      sent.fields.find(([one]) => one === name)?.[1] ?? null
    this.etag = value('etag')
    this.xCache = value('x-cache')
    this.cacheStatus = value('cache-status')
    this.logEnding = hitEnding(this.xCache)
  }

  /** For HTTP/1.1. */
  answer(kind: FastKind, clock: HttpClock): FastResponse {
    this.#keepTime(clock)
    return (this.#answers[kind] ??= this.#build(kind, clock))
  }

  /** For a protocol with frames of its own. */
  fieldResponse(kind: FastKind, clock: HttpClock): FieldResponse {
    this.#keepTime(clock)
    return (this.#fieldResponses[kind] ??= this.#buildFields(kind, clock))
  }

  #keepTime(clock: HttpClock): void {
    if (this.#second === clock.second) return
    this.#second = clock.second
    this.#answers = {}
    this.#fieldResponses = {}
  }

  /** In the order of the slow path. */
  #allFields(kind: FastKind, clock: HttpClock): (readonly [string, string])[] {
    const isWhole = kind !== 'not-modified'
    const fields = isWhole ? [...this.#fields] : this.#fields.filter(([name]) => !OF_BODY.has(name))
    fields.push(['date', clock.httpDate])
    if (isWhole) fields.push(['content-length', String(this.body.length)])
    return fields
  }

  #build(kind: FastKind, clock: HttpClock): FastResponse {
    let head = kind === 'not-modified' ? 'HTTP/1.1 304 Not Modified\r\n' : 'HTTP/1.1 200 OK\r\n'
    for (const [name, value] of this.#allFields(kind, clock)) head += `${name}: ${value}\r\n`
    head += '\r\n'
    return buildResponse(head, kind === 'get' ? this.body : null)
  }

  #buildFields(kind: FastKind, clock: HttpClock): FieldResponse {
    const status = kind === 'not-modified' ? 304 : 200
    const fields = [':status', String(status), ...this.#allFields(kind, clock).flat()]
    return { status, fields, body: kind === 'get' && this.body.length > 0 ? this.body : null }
  }
}
