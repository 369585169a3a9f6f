import { randomBytes } from 'node:crypto'

/** Name, HMAC and AES key of session tickets (RFC 5077 4). */
const KEY_BYTES = 48
/** Tickets of a day at most: whoever steals the key can read the TLS 1.2 sessions that it covers. */
const ROTATE_MS = 12 * 3_600_000

/**
 * The key that session tickets are sealed with. The primary makes it, gives it
 * to every worker, so that a session resumes at any of them, and replaces it
 * from time to time; it is never stored. A ticket of the key before costs its
 * client one full handshake.
 */
export class TicketKeys {
  #current = randomBytes(KEY_BYTES)
  readonly #timer: NodeJS.Timeout

  /** `onRotated` hands the new key to the workers. */
  constructor(onRotated: (keys: Uint8Array) => void, rotateMs = ROTATE_MS) {
    this.#timer = setInterval(() => {
      this.#current = randomBytes(KEY_BYTES)
      onRotated(this.#current)
    }, rotateMs)
    this.#timer.unref()
  }

  get current(): Uint8Array {
    return this.#current
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
