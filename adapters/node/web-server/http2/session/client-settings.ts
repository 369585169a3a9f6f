import { MAX_31_BITS } from '../frames/frames.ts'

const HEADER_TABLE_SIZE = 1
const INITIAL_WINDOW_SIZE = 4
const ENTRY_BYTES = 6
/** Before the client says anything (RFC 9113 6.5.2). */
const DEFAULT_WINDOW_BYTES = 65_535
const DEFAULT_TABLE_BYTES = 4096

/**
 * What of a client's SETTINGS matters to our own answers. They take effect with
 * the acknowledgement: the client reckons with the old ones until it comes (RFC 9113 6.5.3).
 */
export class ClientSettings {
  #windowBytes = DEFAULT_WINDOW_BYTES
  #smallTable = false
  #acknowledged = false
  readonly #pending: Buffer[] = []

  /** The payload of a SETTINGS frame has arrived; who judges it is the session. */
  take(payload: Buffer): void {
    this.#pending.push(Buffer.from(payload))
  }

  /** The session acknowledges the eldest. */
  acknowledge(): void {
    const payload = this.#pending.shift()
    this.#acknowledged = true
    if (payload === undefined) return
    for (let at = 0; at + ENTRY_BYTES <= payload.length; at += ENTRY_BYTES) {
      const id = payload.readUInt16BE(at)
      const value = payload.readUInt32BE(at + 2)
      if (id === INITIAL_WINDOW_SIZE) this.#windowBytes = value
      // A smaller table has to be confirmed by the next header block, which is the session's to do (RFC 7541 4.2).
      if (id === HEADER_TABLE_SIZE && value < DEFAULT_TABLE_BYTES) this.#smallTable = true
    }
  }

  /** What the window of a stream is before it grows or shrinks, bytes. */
  get initialWindowBytes(): number {
    return this.#windowBytes
  }

  /** Bytes that a new stream may send; null while settings are under way, or when only the session can heed them. */
  get windowBytes(): number | null {
    if (!this.#acknowledged || this.#smallTable || this.#pending.length > 0) return null
    return this.#windowBytes > MAX_31_BITS ? null : this.#windowBytes
  }
}
