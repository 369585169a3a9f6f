import { createOpenSlots } from './open-slots.ts'

/** A message of a `text/event-stream`. */
export interface ServerEvent {
  id: number | string
  event: string
  data: unknown
}

/** Bounds how many streams are open: of one user, and of all. */
export interface EventStreams {
  /**
   * A response that sends what `next` yields until `next` answers null or
   * throws. Each round may wait; an empty one is sent as a sign of life.
   * Throws 429 when too many are open.
   */
  open(
    user: string,
    next: (signal: AbortSignal) => Promise<readonly ServerEvent[] | null>,
  ): Response
}

const MAX_OF_USER = 8
const MAX_OPEN = 256
const RETRY_MS = 3000

const encode = ({ id, event, data }: ServerEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** `bounds` default: 8 of a user, 256 of all. */
export const createEventStreams = (
  bounds: { ofUser: number; all: number } = { ofUser: MAX_OF_USER, all: MAX_OPEN },
): EventStreams => {
  const slots = createOpenSlots(
    bounds,
    'Too many event streams are open. Close some and try again.',
  )
  return {
    open(user, next) {
      const leave = slots.enter(user)
      const ended = new AbortController()
      const encoder = new TextEncoder()
      let begun = false
      const body = new ReadableStream<Uint8Array>(
        {
          // Asked only when the reader has taken what was sent: a slow one costs no memory.
          async pull(controller) {
            if (!begun) {
              begun = true
              return controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`))
            }
            const events = await next(ended.signal).catch(() => null)
            if (ended.signal.aborted) return
            if (events === null) {
              leave()
              controller.close()
              return
            }
            const text = events.length === 0 ? ': still here\n\n' : events.map(encode).join('')
            controller.enqueue(encoder.encode(text))
          },
          cancel() {
            leave()
            ended.abort()
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          // For a reverse proxy in front, which would hold events back.
          'x-accel-buffering': 'no',
        },
      })
    },
  }
}
