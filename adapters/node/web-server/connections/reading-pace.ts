import type { Socket } from 'node:net'

/** Slower than any line that is in use: what reads so slowly wants to hold the connection, not the response. */
const MIN_BYTES_PER_SEC = 512

const numberOf = (object: object, name: string): number => {
  const value: unknown = Reflect.get(object, name)
  return typeof value === 'number' ? value : 0
}

/**
 * Bytes of a connection that the system has taken to send. Node counts what
 * it was given, so what still waits inside the handle is taken off; over TLS the
 * handle below is asked, because the upper one moves in large steps.
 */
const takenBytes = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) return 0
  const below: unknown = Reflect.get(handle, '_parent')
  const bottom = typeof below === 'object' && below !== null ? below : handle
  return numberOf(bottom, 'bytesWritten') - numberOf(bottom, 'writeQueueSize')
}

/**
 * Tells clients that take their responses too slowly from those that take them:
 * while something waits for it, a client must take 512 bytes a second, measured
 * over windows of `windowMs`. A byte now and then, or bytes sent while nothing
 * is read, hold no connection.
 */
export class ReadingPace {
  readonly #socket: Socket
  readonly #windowMs: number
  #sinceMs: number | null = null
  #taken = 0

  constructor(socket: Socket, windowMs: number) {
    this.#socket = socket
    this.#windowMs = windowMs
  }

  /** Called now and then. `waiting`: whether something waits for the client. */
  isTooSlow(nowMs: number, waiting: boolean): boolean {
    if (!waiting) {
      this.#sinceMs = null
      return false
    }
    if (this.#sinceMs !== null && nowMs < this.#sinceMs + this.#windowMs) return false
    const taken = takenBytes(this.#socket)
    const before = this.#sinceMs === null ? null : this.#taken
    this.#sinceMs = nowMs
    this.#taken = taken
    return before !== null && (taken - before) * 1000 < MIN_BYTES_PER_SEC * this.#windowMs
  }
}
