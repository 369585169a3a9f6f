import type { QuickHeaders } from './quick-headers.ts'

type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null

const streamOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes)
      controller.close()
    },
  })

/**
 * A `Response` that knows whether its body is there as a whole: then no stream is
 * made unless somebody asks for `body`. Bytes are not copied, and must not change.
 */
export class QuickResponse implements Response {
  readonly status: number
  readonly headers: QuickHeaders
  readonly redirected = false
  readonly statusText = ''
  readonly type = 'default'
  readonly url = ''
  #body: Body

  constructor(body: Body, status: number, headers: QuickHeaders) {
    this.#body = body
    this.status = status
    this.headers = headers
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#body instanceof Uint8Array) this.#body = streamOf(this.#body)
    return this.#body
  }

  get bodyUsed(): boolean {
    return this.#body instanceof ReadableStream && this.#body.locked
  }

  /** The body where it is there as a whole and nobody has asked for a stream of it; null otherwise. */
  get whole(): Uint8Array<ArrayBuffer> | null {
    return this.#body instanceof Uint8Array ? this.#body : null
  }

  clone(): Response {
    const { body, status, headers } = this
    if (body === null) return new Response(null, { status, headers })
    const [mine, other] = body.tee()
    this.#body = mine
    return new Response(other, { status, headers })
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return new Response(this.body).arrayBuffer()
  }

  blob(): Promise<Blob> {
    return new Response(this.body).blob()
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Response(this.body).bytes()
  }

  formData(): Promise<FormData> {
    return new Response(this.body, { headers: this.headers }).formData()
  }

  json(): Promise<unknown> {
    return new Response(this.body).json()
  }

  text(): Promise<string> {
    return new Response(this.body).text()
  }
}

/** The body of any response where it is there as a whole; null otherwise. Unlike `body` it makes no stream. */
export const wholeBodyOf = (response: Response): Uint8Array<ArrayBuffer> | null =>
  response instanceof QuickResponse ? response.whole : null
