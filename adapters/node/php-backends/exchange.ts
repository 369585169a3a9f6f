import { IncompletePage } from '#handlers/sites/responses/incomplete-page.ts'
import type { PageTail } from '#handlers/sites/responses/incomplete-page.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { ResponseBody } from './response-body.ts'
import type { ResponseBodyEvents } from './response-body.ts'
import { QuickResponse } from '../messages/quick-response.ts'
import { CgiHeadReader } from './wire/cgi-head.ts'
import type { CgiHead } from './wire/cgi-head.ts'
import type { BackendConnection, ConnectionEvents } from './wire/backend-connection.ts'
import { ErrorOutput } from './error-output.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import type { EndRequest } from './fastcgi/records.ts'
import type { CountedBody } from './request-body.ts'
import { sendRequestBody } from './send-request-body.ts'
import { StaleConnection } from './stale-connection.ts'

/** A connection that ends with our request unread: nobody had accepted it, or who did was killed. */
const isReset = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** What the head of the response says of its body. */
interface Expectation {
  /** No body is sent, whatever PHP writes. */
  empty: boolean
  /** Content-Length; null when there is none. */
  expected: number | null
}

/** Waiting bytes from which PHP has to wait for the client. */
const QUEUE_BYTES = 256 * 1024
/** How much of a body that must not be sent is read, to keep the connection. */
const IGNORED_BYTES = 2 ** 20
const BODYLESS = new Set([204, 205, 304])
/** Protocol status: no room for another request (FastCGI 1.0, 5.5). */
const OVERLOADED = 2

/**
 * Sends one request over a connection and answers when the head is there; the
 * body follows as a stream, both ways with backpressure. Whatever ends early,
 * is not what was announced or takes too long makes the body fail. Rejects with
 * `OriginError`; when nothing had happened yet, with `StaleConnection`, or answers what
 * `again` does.
 */
export const exchange = (
  connection: BackendConnection,
  options: ExchangeOptions,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    new Exchange(connection, options, resolve, reject).begin()
  })

/** A class for the reason of `ResponseBody`, and since many functions for each request cost more than one object. */
class Exchange implements ConnectionEvents, ResponseBodyEvents {
  readonly #connection: BackendConnection
  readonly #options: ExchangeOptions
  readonly #resolve: (answer: Response | Promise<Response>) => void
  readonly #reject: (error: Error) => void
  readonly #reused: boolean
  readonly #reader = new CgiHeadReader()
  readonly #body: ResponseBody
  readonly #timer: NodeJS.Timeout
  #errors: ErrorOutput | null = null
  #heard = false
  #tail: PageTail | null = null
  #head: CgiHead | null = null
  #answer: Expectation | null = null
  #responded = false
  #received = 0
  #ignored = 0
  #over = false
  /** More came than announced: nothing that follows is of use to anybody. */
  #surplus = false
  #clientSlow = false
  #paused = false

  constructor(
    connection: BackendConnection,
    options: ExchangeOptions,
    resolve: (answer: Response | Promise<Response>) => void,
    reject: (error: Error) => void,
  ) {
    this.#connection = connection
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    this.#reused = connection.served > 0
    this.#body = new ResponseBody(this)
    this.#timer = setTimeout(() => this.#timeout(), options.timeoutMs)
  }

  begin(): void {
    const { signal, head, body } = this.#options
    signal.addEventListener('abort', this.#onAbort)
    this.#connection.begin(this, head, body !== null)
    if (body) this.#send(body)
    if (signal.aborted) this.#onAbort()
  }

  /** A function: what Node makes of an object that listens lives until the next full collection. */
  readonly #onAbort = (): void => this.#fail(new OriginError(400, 'the client went away'))

  #timeout(): void {
    // A slow client is the listener's business, not PHP's fault.
    if (this.#clientSlow || this.#paused) this.#timer.refresh()
    else {
      const { timeoutMs } = this.#options
      this.#fail(new OriginError(504, `PHP did not answer within ${timeoutMs} ms`))
    }
  }

  stdout(piece: Buffer<ArrayBuffer>): void {
    this.#hear()
    if (this.#answer) return this.#takeBody(piece, this.#answer)
    let head: CgiHead | null
    this.#options.turn?.('request')
    try {
      head = this.#reader.push(piece)
    } catch (error) {
      return this.#fail(new OriginError(502, 'PHP gave an answer that is none', error))
    }
    if (head === null) return
    this.#head = head
    this.#answer = { empty: this.#isEmpty(head), expected: lengthOf(head) }
    if (head.rest.length > 0) this.#takeBody(head.rest, this.#answer)
  }

  stderr(piece: Buffer): void {
    this.#hear()
    const { writeError, domain } = this.#options
    this.#errors ??= new ErrorOutput(writeError, domain)
    this.#errors.push(piece)
  }

  end({ appStatus, protocolStatus }: EndRequest): void {
    if (protocolStatus !== 0) {
      const status = protocolStatus === OVERLOADED ? 503 : 502
      return this.#fail(new OriginError(status, `PHP refused the request (${protocolStatus})`))
    }
    if (!this.#answer) return this.#finish(new OriginError(502, 'PHP ended without an answer'))
    const { empty, expected } = this.#answer
    if (!empty && expected !== null && this.#received < expected) {
      return this.#finish(new OriginError(502, `PHP sent ${this.#received} of ${expected} bytes`))
    }
    if (appStatus !== 0) return this.#finish(new OriginError(502, `PHP ended with ${appStatus}`))
    this.#finish(this.#errors?.fatal ? new IncompletePage() : undefined)
  }

  broken(error: Error): void {
    if (!this.#heard && (this.#reused || isReset(error)))
      this.#fail(new StaleConnection(error.message, { cause: error }))
    else this.#fail(new OriginError(502, 'PHP broke off its answer', error))
  }

  /** A small answer is whole when the chunk that held its head has been told. */
  told(): void {
    this.#tellHead()
    // What ends with the same chunk has ended well, and its connection can be kept.
    if (this.#surplus) this.#fail(new Error('PHP sends more than it announced'))
  }

  #tellHead(): void {
    if (this.#responded || this.#head === null || this.#answer === null) return
    this.#responded = true
    const { status, headers } = this.#head
    const { empty, expected } = this.#answer
    const body = this.#body
    try {
      const whole = empty ? null : body.takeWhole()
      if (!empty && !whole) this.#tail = this.#options.streaming()
      if (whole && expected === null) headers.set('content-length', String(whole.byteLength))
      this.#resolve(new QuickResponse(empty ? null : (whole ?? body.stream()), status, headers))
    } catch (error) {
      const fault = new OriginError(502, 'PHP gave an answer that cannot be sent', error)
      this.#fail(fault)
      this.#reject(fault)
    }
  }

  wanted(): void {
    if (!this.#paused || this.#over) return
    this.#paused = false
    this.#timer.refresh()
    this.#connection.resume()
  }

  passed(piece: Uint8Array): void {
    this.#tail?.record(piece)
  }

  cancelled(): void {
    this.#fail(new Error('nobody reads the answer any more'))
  }

  #hear(): void {
    this.#heard = true
    this.#timer.refresh()
  }

  #isEmpty({ status }: CgiHead): boolean {
    return this.#options.method === 'HEAD' || BODYLESS.has(status)
  }

  /**
   * What PHP writes beyond its Content-Length (a blank line after `?>`) is no part of
   * the response, which is whole with the announced bytes: nobody waits for the rest.
   */
  #takeBody(piece: Buffer<ArrayBuffer>, { empty, expected }: Expectation): void {
    const body = this.#body
    const room = empty ? 0 : Math.max(0, (expected ?? Infinity) - this.#received)
    this.#received += piece.length
    if (room > 0) body.push(piece.length > room ? piece.subarray(0, room) : piece)
    if (empty) {
      if ((this.#ignored += piece.length) > IGNORED_BYTES)
        this.#fail(new Error('PHP does not stop'))
    } else if (piece.length > room) {
      this.#surplus = true
      body.end()
    }
    if (body.queuedBytes < QUEUE_BYTES || this.#paused) return
    this.#paused = true
    this.#connection.pause()
  }

  #send(body: CountedBody): void {
    const pace = {
      isOver: () => this.#over,
      waiting: (forClient: boolean) => {
        this.#clientSlow = forClient
        if (!this.#over && !forClient) this.#timer.refresh()
      },
    }
    sendRequestBody(this.#connection, body, pace).catch((error: unknown) => {
      const fault =
        error instanceof OriginError
          ? error
          : new OriginError(502, 'PHP did not take the request body', error)
      this.#fail(fault)
    })
  }

  #finish(error?: Error): void {
    if (!this.#settle(error)) return
    if (this.#paused) this.#connection.resume()
    this.#options.release()
  }

  #fail(error: Error): void {
    if (!this.#settle(error)) return
    this.#connection.destroy()
    this.#options.release()
  }

  #settle(error?: Error): boolean {
    if (this.#over) return false
    this.#over = true
    const { signal, again } = this.#options
    clearTimeout(this.#timer)
    signal.removeEventListener('abort', this.#onAbort)
    this.#errors?.flush()
    if (this.#answer) {
      this.#body.end(error)
      this.#tellHead()
    } else if (error instanceof StaleConnection && again) this.#resolve(again(error))
    else this.#reject(error ?? new OriginError(502, 'PHP ended without an answer'))
    return true
  }
}

const lengthOf = ({ headers }: CgiHead): number | null => {
  const field = headers.get('content-length')
  return field === null ? null : Number(field)
}
