import { IncompletePage } from '#handlers/sites/incomplete-page.ts'
import type { PageTail } from '#handlers/sites/incomplete-page.ts'
import { OriginError } from '#handlers/sites/php-origin.ts'
import { AnswerBody } from './answer-body.ts'
import { QuickResponse } from '../messages/quick-response.ts'
import { CgiHeadReader } from './cgi-head.ts'
import type { CgiHead } from './cgi-head.ts'
import type { BackendConnection } from './backend-connection.ts'
import { ErrorOutput } from './error-output.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import type { EndRequest } from './records.ts'
import { sendRequestBody } from './send-request-body.ts'
import { StaleConnection } from './stale-connection.ts'

/** A connection that ends with our request unread: nobody had accepted it, or who did was killed. */
const isReset = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** What the head of the answer says of its body. */
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
 * `OriginError`, or `StaleConnection` when nothing had happened yet.
 */
export const exchange = (
  connection: BackendConnection,
  options: ExchangeOptions,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method, signal, timeoutMs } = options
    const reused = connection.served > 0
    const reader = new CgiHeadReader()
    const errors = new ErrorOutput(options.writeError, options.domain)
    let heard = false
    let tail: PageTail | null = null
    let answer: Expectation | null = null
    let received = 0
    let ignored = 0
    let over = false
    let clientSlow = false
    let paused = false

    const body = new AnswerBody({
      wanted: () => {
        if (!paused || over) return
        paused = false
        timer.refresh()
        connection.resume()
      },
      passed: (piece) => tail?.record(piece),
      cancelled: () => fail(new Error('nobody reads the answer any more')),
    })

    const settle = (error?: Error): boolean => {
      if (over) return false
      over = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      errors.flush()
      if (answer) body.end(error)
      else reject(error ?? new OriginError(502, 'PHP ended without an answer'))
      return true
    }
    const finish = (error?: Error): void => {
      if (!settle(error)) return
      if (paused) connection.resume()
      options.release()
    }
    const fail = (error: Error): void => {
      if (!settle(error)) return
      connection.destroy()
      options.release()
    }
    const onAbort = (): void => fail(new OriginError(400, 'the client went away'))
    const timer = setTimeout(() => {
      // A slow client is the listener's business, not PHP's fault.
      if (clientSlow || paused) timer.refresh()
      else fail(new OriginError(504, `PHP did not answer within ${timeoutMs} ms`))
    }, timeoutMs)
    signal.addEventListener('abort', onAbort)

    const isEmpty = ({ status }: CgiHead): boolean => method === 'HEAD' || BODYLESS.has(status)

    /** What PHP writes beyond its Content-Length (a blank line after `?>`) is no part of the answer. */
    const takeBody = (piece: Buffer<ArrayBuffer>, { empty, expected }: Expectation): void => {
      const room = empty ? 0 : Math.max(0, (expected ?? Infinity) - received)
      received += piece.length
      if (room > 0) body.push(piece.length > room ? piece.subarray(0, room) : piece)
      else if ((ignored += piece.length) > IGNORED_BYTES) fail(new Error('PHP does not stop'))
      if (body.queuedBytes < QUEUE_BYTES || paused) return
      paused = true
      connection.pause()
    }
    /** Runs after the events of the chunk that held the head: a small answer is whole by then. */
    const respond = ({ status, headers }: CgiHead, { empty, expected }: Expectation): void => {
      try {
        const whole = empty ? null : body.takeWhole()
        if (!empty && !whole) tail = options.streaming()
        if (whole && expected === null) headers.set('content-length', String(whole.byteLength))
        resolve(new QuickResponse(empty ? null : (whole ?? body.stream()), status, headers))
      } catch (error) {
        const fault = new OriginError(502, 'PHP gave an answer that cannot be sent', error)
        fail(fault)
        reject(fault)
      }
    }

    const end = ({ appStatus, protocolStatus }: EndRequest): void => {
      if (protocolStatus !== 0) {
        const status = protocolStatus === OVERLOADED ? 503 : 502
        return fail(new OriginError(status, `PHP refused the request (${protocolStatus})`))
      }
      if (!answer) return finish(new OriginError(502, 'PHP ended without an answer'))
      const { empty, expected } = answer
      if (!empty && expected !== null && received < expected) {
        return finish(new OriginError(502, `PHP sent ${received} of ${expected} bytes`))
      }
      if (appStatus !== 0) return finish(new OriginError(502, `PHP ended with ${appStatus}`))
      finish(errors.fatal ? new IncompletePage() : undefined)
    }

    connection.begin(
      {
        stdout(piece) {
          heard = true
          timer.refresh()
          if (answer) return takeBody(piece, answer)
          let head: CgiHead | null
          try {
            head = reader.push(piece)
          } catch (error) {
            return fail(new OriginError(502, 'PHP gave an answer that is none', error))
          }
          if (head === null) return
          const begun = { empty: isEmpty(head), expected: lengthOf(head) }
          answer = begun
          if (head.rest.length > 0) takeBody(head.rest, begun)
          queueMicrotask(() => respond(head, begun))
        },
        stderr(piece) {
          heard = true
          timer.refresh()
          errors.push(piece)
        },
        end,
        broken(error) {
          if (!heard && (reused || isReset(error)))
            fail(new StaleConnection(error.message, { cause: error }))
          else fail(new OriginError(502, 'PHP broke off its answer', error))
        },
      },
      options.head,
      options.body !== null,
    )
    if (options.body) {
      const pace = {
        isOver: () => over,
        waiting: (forClient: boolean) => {
          clientSlow = forClient
          if (!over && !forClient) timer.refresh()
        },
      }
      sendRequestBody(connection, options.body, pace).catch((error: unknown) => {
        const fault =
          error instanceof OriginError
            ? error
            : new OriginError(502, 'PHP did not take the request body', error)
        fail(fault)
      })
    }
    if (signal.aborted) onAbort()
  })

const lengthOf = ({ headers }: CgiHead): number | null => {
  const field = headers.get('content-length')
  return field === null ? null : Number(field)
}
