import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** Whether the request announces a body (RFC 9112 6.3). */
export const hasBody = (message: IncomingMessage): boolean =>
  message.headers['transfer-encoding'] !== undefined ||
  (message.headers['content-length'] !== undefined && message.headers['content-length'] !== '0')

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
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        message.pause()
        const fail = (error: Error): void => {
          if (finished) return
          finished = true
          controller.error(error)
        }
        message.on('data', (chunk: Buffer) => {
          received += chunk.length
          if (limitBytes > 0 && received > limitBytes && !finished) {
            onTooLarge()
            fail(new Error(`The request body is larger than ${limitBytes} bytes.`))
          }
          if (finished) return
          controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length))
          message.pause()
        })
        message.on('end', () => {
          if (finished) return
          finished = true
          controller.close()
        })
        message.on('error', fail)
        message.on('close', () => fail(new Error('The client closed the connection.')))
        // A 'data' listener starts the flow; nothing is wanted before the first pull.
        message.pause()
      },
      pull: () => {
        if (!asked) onFirstRead()
        asked = true
        message.resume()
      },
      cancel: () => {
        finished = true
      },
    },
    { highWaterMark: 0 },
  )
}
