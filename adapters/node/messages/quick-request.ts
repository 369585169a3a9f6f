import type { QuickHeaders } from './quick-headers.ts'

/**
 * A `Request` without a body, of which only what a site asks for is made: the URL is
 * parsed, and the signal made, when somebody wants it. Where the runtime's own is
 * needed (`new Request(request)`), make one from its parts.
 */
export class QuickRequest implements Request {
  readonly method: 'GET' | 'HEAD'
  readonly headers: QuickHeaders
  readonly body = null
  readonly bodyUsed = false
  readonly cache = 'default'
  readonly credentials = 'same-origin'
  readonly destination = ''
  readonly duplex = 'half'
  readonly integrity = ''
  readonly keepalive = false
  readonly mode = 'cors'
  readonly redirect = 'follow'
  readonly referrer = 'about:client'
  readonly referrerPolicy = ''
  readonly #signal: () => AbortSignal
  #url: string
  #isSerialized = false

  /** `url` must be one that the URL parser accepts. */
  constructor(
    method: 'GET' | 'HEAD',
    url: string,
    headers: QuickHeaders,
    signal: () => AbortSignal,
  ) {
    this.method = method
    this.headers = headers
    this.#url = url
    this.#signal = signal
  }

  get url(): string {
    if (!this.#isSerialized) {
      this.#url = new URL(this.#url).href
      this.#isSerialized = true
    }
    return this.#url
  }

  get signal(): AbortSignal {
    return this.#signal()
  }

  clone(): Request {
    return new Request(this.url, {
      method: this.method,
      headers: this.headers,
      signal: this.signal,
    })
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.clone().arrayBuffer()
  }

  blob(): Promise<Blob> {
    return this.clone().blob()
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.clone().bytes()
  }

  formData(): Promise<FormData> {
    return this.clone().formData()
  }

  json(): Promise<unknown> {
    return this.clone().json()
  }

  text(): Promise<string> {
    return this.clone().text()
  }
}
