import type { ClientRequest } from 'node:http'
import { drained } from '../http1/write/pump-body.ts'

/** The client's body failed or had another length than announced; the application is not to blame. */
export class ClientBodyError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ClientBodyError'
  }
}

/**
 * Copies a request's body to the application at the pace at which it is taken.
 * Rejects with `ClientBodyError` when the client's side fails, and with the
 * connection's error when the application's does. `progress` is called for each
 * piece that was taken.
 */
export const sendBody = async (
  body: ReadableStream<Uint8Array>,
  outgoing: ClientRequest,
  expectedBytes: number | null,
  progress: () => void,
): Promise<void> => {
  const reader = body.getReader()
  let sentBytes = 0
  try {
    for (;;) {
      let piece: ReadableStreamReadResult<Uint8Array>
      try {
        piece = await reader.read()
      } catch (error) {
        throw new ClientBodyError('the request body broke off', error)
      }
      if (piece.done) break
      sentBytes += piece.value.byteLength
      // A length that does not hold would leave the rest to be read as the next request.
      if (expectedBytes !== null && sentBytes > expectedBytes) {
        throw new ClientBodyError('the request body is longer than announced')
      }
      if (outgoing.destroyed) throw new Error('The application closed the connection.')
      if (!outgoing.write(piece.value)) await drained(outgoing)
      progress()
    }
    if (expectedBytes !== null && sentBytes !== expectedBytes) {
      throw new ClientBodyError('the request body is shorter than announced')
    }
    outgoing.end()
  } catch (error) {
    reader.cancel(error).catch(() => undefined)
    throw error
  }
}
