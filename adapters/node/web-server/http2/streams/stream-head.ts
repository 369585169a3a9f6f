import { deviceClass } from '#edge-cache/index.ts'
import { RequestError } from '../../http1/slow/build-request.ts'
import { kindOfField } from '../../http1/head/field-names.ts'
import { admitsHtml, cookieJudge } from '../../http1/fast/fast-facts.ts'
import type { FastRequest } from '../../http1/fast/fast-path.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import { refusalOfMethod } from '../../../messages/served-methods.ts'

/** A path that normalisation cannot change: no `%`, `;`, `//`, `/.`, no query. */
const PLAIN_PATH = /^(?:\/(?![/.])[A-Za-z0-9!$&'()*+,\-.:=@_~]*)+$/
/** Characters a target may hold without another look; the same as in HTTP/1. */
const TARGET = /^\/[!$-;=?-[\]_a-z~]*$/
/** Whatever else a path may hold, blanks and control characters are not among it. */
const VISIBLE = /^\/[\x21-\x7e\x80-\xff]*$/

/**
 * The header list of one HTTP/2 request, as names and values in turn. Names are
 * lower case and connection fields are gone or refused already: nghttp2 ends the
 * stream otherwise (RFC 9113 8.2). What it leaves to us is judged here.
 */
export class StreamHead {
  readonly raw: readonly string[]
  method = ''
  scheme = ''
  path = ''
  authority: string | null = null
  hostField: string | null = null
  acceptEncoding: string | null = null
  referer: string | null = null
  agent: string | null = null
  etag: string | null = null
  /** The X-Forwarded-For field. */
  forwarded: string | null = null
  contentLength: string | null = null
  expectsContinue = false
  /** Whether a field takes the request off the fast path. */
  special = false
  #cookie: string | null = null
  #accept: string | null = null
  #judge: FastRequest['hasBypassCookie'] | null = null
  #fast: FastRequest | null = null
  #plain: boolean | null = null
  #simple: boolean | null = null

  constructor(raw: readonly string[]) {
    this.raw = raw
    for (let i = 0; i + 1 < raw.length; i += 2) this.#take(raw[i] as string, raw[i + 1] as string)
    if (!admitsHtml(this.#accept)) this.special = true
  }

  /** Host and port asked for, as sent; empty when none was. */
  get target(): string {
    return this.authority ?? this.hostField ?? ''
  }

  /** A path that the fast path may look up without normalising it. */
  get isPlain(): boolean {
    return (this.#plain ??= PLAIN_PATH.test(this.path))
  }

  /** Whether the path, and a query behind it, may be looked up the fast path at all. */
  get isSimple(): boolean {
    return (this.#simple ??= TARGET.test(this.path))
  }

  /** Whether it is a plain GET: for the whole, of everybody, whatever the client has. */
  get isUnconditional(): boolean {
    const hasTwoNames = this.hostField !== null && this.authority !== null
    return this.method === 'GET' && !this.special && this.etag === null && !hasTwoNames
  }

  /** Whether a cookie of the request is on the list. */
  get hasBypassCookie(): FastRequest['hasBypassCookie'] {
    return (this.#judge ??= cookieJudge(this.#cookie))
  }

  /** The request as the fast path looks at it; `host` is the judged authority. */
  fastRequest(host: string): FastRequest {
    if (this.#fast?.host === host) return this.#fast
    return (this.#fast = {
      host,
      port: parseHost(this.target)?.port ?? null,
      acceptEncoding: this.acceptEncoding,
      device: () => deviceClass(this.agent),
      hasBypassCookie: this.hasBypassCookie,
    })
  }

  /** Throws `RequestError` unless method and pseudo-header fields make sense (RFC 9113 8.3.1). */
  check(): void {
    const refusal = refusalOfMethod(this.method)
    if (refusal !== null) {
      throw new RequestError(refusal, `The method ${this.method.slice(0, 20)} is not supported.`)
    }
    if (this.scheme !== 'https') throw new RequestError(400, 'The scheme must be https.')
    if (this.target === '') throw new RequestError(400, 'The authority is missing.')
    const { authority, hostField } = this
    // Two names for one request are how caches get poisoned.
    if (authority !== null && hostField !== null && !sameText(authority, hostField)) {
      throw new RequestError(400, 'The authority and the Host field name different hosts.')
    }
    // About the server itself (RFC 9113, 8.3.1).
    if (this.path === '*' && this.method === 'OPTIONS') return
    if (!VISIBLE.test(this.path) || this.path.includes('#')) {
      throw new RequestError(400, 'The request target must be a path.')
    }
  }

  /** The fields as HTTP/1 would have brought them: one Host, one Cookie (RFC 9113 8.2.3). */
  headers(): Headers {
    const headers = new Headers()
    const { raw } = this
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] as string
      if (name.startsWith(':') || name === 'cookie' || name === 'host') continue
      headers.append(name, raw[i + 1] as string)
    }
    headers.set('host', this.target)
    if (this.#cookie !== null) headers.set('cookie', this.#cookie)
    return headers
  }

  #take(name: string, value: string): void {
    if (name.startsWith(':')) return this.#takePseudo(name, value)
    switch (kindOfField(name)) {
      case 'other':
        if (name === 'x-forwarded-for')
          this.forwarded = this.forwarded === null ? value : `${this.forwarded},${value}`
        return
      case 'host':
        if (this.hostField !== null && !sameText(this.hostField, value)) this.hostField = ''
        else this.hostField = value
        return
      case 'referer':
        this.referer = value
        return
      case 'user-agent':
        // Elsewhere two are one value, which may mean another device.
        if (this.agent !== null) this.special = true
        this.agent = value
        return
      case 'cookie':
        this.#cookie = this.#cookie === null ? value : `${this.#cookie}; ${value}`
        return
      case 'if-none-match':
        if (this.etag !== null) this.special = true
        this.etag = value
        return
      case 'accept':
        if (this.#accept !== null) this.special = true
        this.#accept = value
        return
      case 'accept-encoding':
        if (this.acceptEncoding !== null) this.special = true
        this.acceptEncoding = value
        return
      default:
        this.special = true
        if (name === 'content-length') this.contentLength = value
        if (name === 'expect') this.expectsContinue = value.toLowerCase() === '100-continue'
    }
  }

  #takePseudo(name: string, value: string): void {
    if (name === ':path') this.path = value
    else if (name === ':method') this.method = value
    else if (name === ':authority') this.authority = value
    else if (name === ':scheme') this.scheme = value
    else this.method = name
  }
}

const sameText = (one: string, other: string): boolean =>
  one === other || one.toLowerCase() === other.toLowerCase()
