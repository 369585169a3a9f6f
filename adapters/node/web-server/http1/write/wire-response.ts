import type { Socket } from 'node:net'

/** A response ready to be written. */
export interface FastResponse {
  /** Head and, for small bodies, the body behind it. Never changed once built, but see `FastResponses.written`. */
  bytes: Buffer
  /** Body that follows in the same write; null when it is in `bytes` or there is none. */
  rest: Uint8Array | null
  /** Bytes of body, for the access log. */
  bodyBytes: number
}

/** Bodies above this are written from where they are instead of being copied behind the head. */
export const COPY_LIMIT_BYTES = 65_536

/** A response in memory of its own. `body` null: it has none, as to HEAD. */
export const buildResponse = (head: string, body: Uint8Array | null): FastResponse => {
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
export const writeResponseBytes = (socket: Socket, { bytes, rest }: FastResponse): boolean => {
  if (rest === null) return socket.write(bytes)
  socket.cork()
  socket.write(bytes)
  const more = socket.write(rest)
  socket.uncork()
  return more
}
