import type { Writable } from 'node:stream'

/** A body ended before or after the length its head promised, or the client went away. */
export class BodyError extends Error {
  /** Whether the client is at fault (it left), so that nothing is worth a log line. */
  readonly clientGone: boolean
  constructor(message: string, clientGone: boolean) {
    super(message)
    this.name = 'BodyError'
    this.clientGone = clientGone
  }
}

const sentOf = new WeakMap<Error, number>()

/** Notes how many bytes of a body had been sent when writing it failed. */
export const noteSent = (error: unknown, bytes: number): void => {
  if (error instanceof Error) sentOf.set(error, bytes)
}

/** Bytes of a body that had been sent when writing it failed with `error`. */
export const sentBefore = (error: unknown): number =>
  error instanceof Error ? (sentOf.get(error) ?? 0) : 0

/** Resolves when `out` takes bytes again; rejects when it closed instead. */
export const drained = (out: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    const finish = (closed: boolean): void => {
      out.off('drain', onDrain)
      out.off('close', onClose)
      if (closed) reject(new BodyError('The client closed the connection.', true))
      else resolve()
    }
    const onDrain = (): void => finish(false)
    const onClose = (): void => finish(true)
    if (out.destroyed) return onClose()
    out.on('drain', onDrain)
    out.on('close', onClose)
  })

/**
 * Copies a response body to `out` with backpressure. `frame` turns a chunk into
 * writes and answers whether `out` wants more, or a promise that it does. `expectedBytes` is the promised
 * length, null when none was. Answers the number of body bytes. Rejects when the
 * body fails, has another length, or the client goes away; the caller destroys
 * the connection then, so that a truncated body is seen as truncated.
 */
export const pumpBody = async (
  body: ReadableStream<Uint8Array>,
  out: Writable,
  expectedBytes: number | null,
  frame: (chunk: Uint8Array) => boolean | Promise<void>,
): Promise<number> => {
  const reader = body.getReader()
  let sent = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (value.byteLength === 0) continue
      sent += value.byteLength
      if (expectedBytes !== null && sent > expectedBytes) {
        throw new BodyError(`The body is longer than its Content-Length ${expectedBytes}.`, false)
      }
      if (out.destroyed) throw new BodyError('The client closed the connection.', true)
      const more = frame(value)
      if (more === false) await drained(out)
      else if (more !== true) await more
    }
    if (expectedBytes !== null && sent !== expectedBytes) {
      throw new BodyError(`The body ended after ${sent} of ${expectedBytes} bytes.`, false)
    }
    return sent
  } catch (error) {
    noteSent(error, sent)
    // Tells the origin that nobody reads any more; its response does not matter.
    reader.cancel(error).catch(() => undefined)
    throw error
  }
}
