import type { IncomingMessage } from 'node:http'
import { PacedPieces } from '../http1/slow/paced-pieces.ts'

/**
 * The body of an application's response, read only as fast as it is asked for.
 * Fails when it breaks off, and when nothing comes for `timeoutMs` while
 * somebody waits; a slow reader is not the application's fault. `done` is called
 * once, when nothing more is wanted or comes; `ended`, when it came whole.
 */
export const responseStream = (
  answer: IncomingMessage,
  timeoutMs: number,
  done: () => void,
  ended: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let timer: NodeJS.Timeout | undefined
  let finished = false
  let pieces: PacedPieces | null = null
  const finish = (): boolean => {
    if (finished) return false
    finished = true
    clearTimeout(timer)
    done()
    return true
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        const fail = (error: Error): void => {
          if (finish()) controller.error(error)
          answer.destroy()
        }
        const cut = (): void => {
          // To make an error takes longer than all else here, and every response closes at last.
          if (!finished) fail(new Error("The application's answer broke off."))
        }
        pieces = new PacedPieces(answer, (chunk) => {
          clearTimeout(timer)
          timer = undefined
          if (finished) return
          controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
        })
        answer.on('end', () => {
          if (!answer.complete) cut()
          else if (finish()) {
            ended()
            controller.close()
          }
        })
        answer.on('error', cut)
        answer.on('close', cut)
      },
      pull(controller) {
        timer ??= setTimeout(() => {
          const error = new Error(`The application sent nothing for ${timeoutMs} ms.`)
          if (finish()) controller.error(error)
          answer.destroy()
        }, timeoutMs)
        return pieces?.resume()
      },
      cancel() {
        finish()
        answer.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
