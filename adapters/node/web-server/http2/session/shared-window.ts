import { FLOW_CONTROL_ERROR, FrameError } from '../frames/frame-error.ts'
import { MAX_31_BITS } from '../frames/frames.ts'

/** What a connection may send before its client says anything (RFC 9113 6.9.2). */
const INITIAL_BYTES = 65_535
/** The session gets more when it has less than this left … */
const LOW_BYTES = 32_768
/** … and so much at once. */
const GRANT_BYTES = 262_144

/**
 * The connection's send window, parted between Node's session and our own
 * answers. The session believes in its part alone; what it is told of is taken
 * from ours, so that both together never send more than the client allows. When
 * the session runs low it gets from ours down to the last byte: it never waits
 * for a client that waits for the rest.
 */
export class SharedWindow {
  #session = INITIAL_BYTES
  #own = 0

  /** Bytes that our own answers may send now. */
  get ownBytes(): number {
    return this.#own
  }

  /** The client takes `bytes` more. Throws `FrameError` when that is more than a window can be. */
  add(bytes: number): void {
    this.#own += bytes
    if (this.#own + this.#session > MAX_31_BITS) {
      throw new FrameError(FLOW_CONTROL_ERROR, 'The window of the connection is too large.')
    }
  }

  takeOwn(bytes: number): void {
    this.#own -= bytes
  }

  takeSession(bytes: number): void {
    this.#session -= bytes
  }

  /** How many bytes the session must be told of now; 0: none. */
  grant(): number {
    if (this.#session >= LOW_BYTES || this.#own === 0) return 0
    const bytes = Math.min(this.#own, GRANT_BYTES)
    this.#own -= bytes
    this.#session += bytes
    return bytes
  }
}
