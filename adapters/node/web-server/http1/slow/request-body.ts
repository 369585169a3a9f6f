import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { PacedPieces } from './paced-pieces.ts'

/** Whether the request announces a body (RFC 9112 6.3). */
export const hasBody = (message: IncomingMessage): boolean =>
  message.headers['transfer-encoding'] !== undefined ||
  (message.headers['content-length'] !== undefined && message.headers['content-length'] !== '0')

/**
 * Whether a request that announced a body brings any of it. What it says stays to be
 * read; resolves at the latest when the client's side ends.
 */
export const hasContent = async (message: Readable): Promise<boolean> => {
  if (message.readableLength > 0) return true
  if (message.readableEnded || message.destroyed) return false
  return new Promise((resolve) => {
    const settle = (): void => {
      message.off('readable', settle)
      message.off('end', settle)
      message.off('close', settle)
      resolve(message.readableLength > 0)
    }
    message.on('readable', settle)
    message.on('end', settle)
    message.on('close', settle)
    message.read(0)
  })
}

/**
 * Why a GET or HEAD with content is refused: it means nothing there, a page cache
 * would answer past it, and another server may read it as the next request (RFC 9110, 9.3.1).
 */
export const contentRefused = (method: string): string =>
  `A ${method} request with content is not taken here.`

/**
 * The body of a request as a stream that reads only as fast as it is read.
 * `limitBytes` 0 is unlimited; beyond it the stream
 * fails and `onTooLarge` runs.
 * `onFirstRead` runs before the first byte is asked for (100-continue).
 */
export const requestBody = (
  message: Readable,
  limitBytes: number,
  onFirstRead: () => void,
  onTooLarge: () => void,
): ReadableStream<Uint8Array> => {
  let received = 0
  let asked = false
  let finished = false
  let pieces: PacedPieces | null = null
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const fail = (error: Error): void => {
          if (finished) return
          finished = true
          controller.error(error)
        }
        pieces = new PacedPieces(message, (chunk) => {
          received += chunk.length
          if (limitBytes > 0 && received > limitBytes && !finished) {
            onTooLarge()
            fail(new Error(`The request body is larger than ${limitBytes} bytes.`))
          }
          if (finished) return
          controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length))
        })
        message.on('end', () => {
          if (finished) return
          finished = true
          controller.close()
        })
        message.on('error', fail)
        message.on('close', () => fail(new Error('The client closed the connection.')))
      },
      pull: () => {
        if (!asked) onFirstRead()
        asked = true
        return pieces?.resume()
      },
      cancel: () => {
        finished = true
      },
    },
    { highWaterMark: 0 },
  )
}
