import { AppError, isAppError, unavailable } from '#handlers/errors.ts'
import type { FailureStatus } from '#handlers/errors.ts'
import { z } from 'zod'

/** What the two ends of an IPC channel of Node have in common. */
export interface Channel {
  send(message: object): void
  /** Called once; every message of the other end goes to `listener`. */
  listen(listener: (message: unknown) => void): void
}

/** One end: asks the other, and answers what that asks. */
export interface Peer {
  /** Rejects with what the other end refused, or 503 when it does not answer in time (`limitMs`, default 30 s) or is gone. */
  ask(method: string, input: unknown, limitMs?: number): Promise<unknown>
  /** What still waits for an answer is refused. */
  close(): void
}

const messageSchema = z.union([
  z.object({ ask: z.int(), method: z.string().max(100), input: z.unknown() }),
  z.object({ answer: z.int(), data: z.unknown() }),
  z.object({
    answer: z.int(),
    refused: z.object({
      status: z.int(),
      message: z.string().max(10_000),
      field: z.string().max(100).exactOptional(),
    }),
  }),
])

const STATUSES: readonly number[] = [400, 401, 403, 404, 405, 409, 413, 415, 416, 429, 503]
const isStatus = (status: number): status is FailureStatus => STATUSES.includes(status)
/** How long an answer may take. */
export const ANSWER_WITHIN_MS = 30_000
const gone = (): AppError =>
  unavailable('The mail queue does not answer. It is probably being restarted; try again.')

/** Speaks over `channel`. `answer` throws `AppError` for what it refuses; other errors arrive as a bare text. */
export const createPeer = (
  channel: Channel,
  answer: (method: string, input: unknown) => Promise<unknown>,
): Peer => {
  const waiting = new Map<number, { resolve(data: unknown): void; reject(error: unknown): void }>()
  let next = 1
  let closed = false

  const reply = async (id: number, method: string, input: unknown): Promise<void> => {
    try {
      channel.send({ answer: id, data: await answer(method, input) })
    } catch (error) {
      const refused = isAppError(error)
        ? {
            status: error.status,
            message: error.message,
            ...(error.field === undefined ? {} : { field: error.field }),
          }
        : { status: 500, message: error instanceof Error ? error.message : String(error) }
      channel.send({ answer: id, refused })
    }
  }

  channel.listen((raw) => {
    const parsed = messageSchema.safeParse(raw)
    if (!parsed.success) return
    const message = parsed.data
    if ('ask' in message) {
      void reply(message.ask, message.method, message.input)
      return
    }
    const one = waiting.get(message.answer)
    waiting.delete(message.answer)
    if (!('refused' in message)) one?.resolve(message.data)
    else {
      const { status, message: text, field } = message.refused
      one?.reject(
        isStatus(status)
          ? new AppError(status, text, field === undefined ? {} : { field })
          : new Error(`The other end failed: ${text}`),
      )
    }
  })

  return {
    ask: (method, input, limitMs = ANSWER_WITHIN_MS) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(gone())
          return
        }
        const id = next
        next += 1
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(gone())
        }, limitMs)
        const done = (work: () => void): void => {
          clearTimeout(timer)
          work()
        }
        waiting.set(id, {
          resolve: (data) => done(() => resolve(data)),
          reject: (error) => done(() => reject(error)),
        })
        channel.send({ ask: id, method, input })
      }),
    close() {
      closed = true
      for (const { reject } of waiting.values()) reject(gone())
      waiting.clear()
    },
  }
}
