import { unavailable } from '../../errors.ts'

const SLOTS = 3
const MAX_WAITING = 32
const WAIT_MS = 10_000
/** An answer up to this is not worth keeping a slot until the client has read it. */
const SMALL_BYTES = 256 * 1024
const PIECE_BYTES = 256 * 1024

/** Bounds how many file contents one user has in memory here at once: each is tens of megabytes on its way. */
export interface TransferSlots {
  /**
   * Runs `work` in one of the user's slots, which is kept until the response is
   * read to its end or dropped, or `signal` says that the client went away.
   * Waits for a slot; throws 503 after ten seconds, or when too many wait.
   */
  run(user: string, signal: AbortSignal, work: () => Promise<Response>): Promise<Response>
}

const TOO_MANY =
  'Too many files are being read or written at once. Try again when the others are done.'

interface User {
  running: number
  waiting: Set<() => void>
}

/** The response in pieces that go out at the client's pace, with `onEnd` called once when its body is over. */
const inPieces = async (response: Response, onEnd: () => void): Promise<Response> => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  const init = { status: response.status, headers }
  if (bytes.byteLength <= SMALL_BYTES) {
    onEnd()
    return new Response(bytes, init)
  }
  headers.set('content-length', String(bytes.byteLength))
  let at = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at < bytes.byteLength) {
          return controller.enqueue(bytes.subarray(at, (at += PIECE_BYTES)))
        }
        onEnd()
        controller.close()
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, init)
}

export const createTransferSlots = (): TransferSlots => {
  const users = new Map<string, User>()

  const enter = async (key: string): Promise<() => void> => {
    const user = users.get(key) ?? { running: 0, waiting: new Set() }
    users.set(key, user)
    if (user.running < SLOTS) user.running++
    else {
      if (user.waiting.size >= MAX_WAITING) throw unavailable(TOO_MANY)
      await new Promise<void>((resolve, reject) => {
        const take = (): void => {
          clearTimeout(timer)
          user.waiting.delete(take)
          resolve()
        }
        const timer = setTimeout(() => {
          user.waiting.delete(take)
          reject(unavailable(TOO_MANY))
        }, WAIT_MS)
        user.waiting.add(take)
      })
    }
    let left = false
    return () => {
      if (left) return
      left = true
      // A slot is handed on rather than freed, so that nobody overtakes.
      const [next] = user.waiting
      if (next) return next()
      user.running--
      if (user.running === 0) users.delete(key)
    }
  }

  return {
    async run(key, signal, work) {
      const leave = await enter(key)
      try {
        const response = await inPieces(await work(), leave)
        if (signal.aborted) leave()
        else signal.addEventListener('abort', leave, { once: true })
        return response
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
