import type { Socket } from 'node:net'

/** An answer ready to be written. */
export interface FastAnswer {
  /** Head and, for small bodies, the body behind it. Never changed once built, but see `FastAnswers.written`. */
  bytes: Buffer
  /** Body that follows in the same write; null when it is in `bytes` or there is none. */
  rest: Uint8Array | null
  /** Bytes of body, for the access log. */
  bodyBytes: number
}

/** Bodies above this are written from where they are instead of being copied behind the head. */
export const COPY_LIMIT_BYTES = 65_536

/** An answer in memory of its own. `body` null: it has none, as to HEAD. */
export const buildAnswer = (head: string, body: Uint8Array | null): FastAnswer => {
  const bodyBytes = body?.byteLength ?? 0
  if (body === null || bodyBytes === 0 || bodyBytes > COPY_LIMIT_BYTES) {
    return { bytes: Buffer.from(head, 'latin1'), rest: bodyBytes === 0 ? null : body, bodyBytes }
  }
  const bytes = Buffer.allocUnsafeSlow(head.length + bodyBytes)
  bytes.write(head, 0, 'latin1')
  bytes.set(body, head.length)
  return { bytes, rest: null, bodyBytes }
}

/** In one piece for the system, also where head and body lie apart. Answers as `socket.write`. */
export const writeAnswer = (socket: Socket, { bytes, rest }: FastAnswer): boolean => {
  if (rest === null) return socket.write(bytes)
  socket.cork()
  socket.write(bytes)
  const more = socket.write(rest)
  socket.uncork()
  return more
}
