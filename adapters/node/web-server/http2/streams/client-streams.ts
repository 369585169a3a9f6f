import { FrameError, PROTOCOL_ERROR, STREAM_CLOSED } from '../frames/frame-error.ts'

/** Runs of numbers that a client left out, and streams that we reset, of which this much is remembered. */
const MAX_GAPS = 64
const MAX_RESET = 512

const closed = (): FrameError => new FrameError(STREAM_CLOSED, 'The stream has ended.')
const idle = (): FrameError => new FrameError(PROTOCOL_ERROR, 'The stream has not begun.')

/**
 * The streams of a client by what it may send on them (RFC 9113 5.1). It knows
 * nothing of responses: a stream is open here until its client ends or resets it, or we do.
 */
export class ClientStreams {
  /** Whose client may send more, and how many bytes of content at most. */
  readonly #open = new Map<number, number>()
  /** That we reset while their client may not have known; eldest first. */
  readonly #reset = new Set<number>()
  /** Numbers that were skipped, both ends included: their streams never were. */
  readonly #gaps: [first: number, last: number][] = []
  /** Highest that was begun. */
  highest = 0

  /**
   * A header block for a stream: `begin`s it, is its `trailers`, or is to be dropped.
   * Throws `FrameError`.
   */
  headers(stream: number, endStream: boolean): 'begin' | 'trailers' | 'drop' {
    if (stream % 2 === 0) throw new FrameError(PROTOCOL_ERROR, 'A client’s streams are odd.')
    if (stream > this.highest) {
      if (stream > this.highest + 2) this.#noteGap(this.highest + 1, stream - 1)
      this.highest = stream
      if (!endStream) this.#open.set(stream, Number.POSITIVE_INFINITY)
      return 'begin'
    }
    if (this.#open.has(stream)) {
      if (endStream) this.#open.delete(stream)
      return 'trailers'
    }
    if (this.#reset.has(stream)) return 'drop'
    if (this.#gaps.some(([first, last]) => first <= stream && stream <= last)) {
      throw new FrameError(PROTOCOL_ERROR, 'The numbers of streams only grow.')
    }
    throw closed()
  }

  /** The content of a stream that has begun is `bytes` long. */
  announce(stream: number, bytes: number): void {
    if (this.#open.has(stream)) this.#open.set(stream, bytes)
  }

  /**
   * DATA with so many bytes of content. False: they are more than were announced. What
   * comes on a stream that we reset still counts for the connection's window.
   */
  data(stream: number, bytes: number, endStream: boolean): boolean {
    this.#mustHaveBegun(stream)
    const left = this.#open.get(stream)
    if (left === undefined) {
      if (!this.#reset.has(stream)) throw closed()
      return true
    }
    if (endStream) this.#open.delete(stream)
    else this.#open.set(stream, left - bytes)
    return bytes <= left
  }

  /** RST_STREAM and WINDOW_UPDATE, which may come on whatever was begun. */
  control(stream: number, isReset: boolean): void {
    this.#mustHaveBegun(stream)
    if (!isReset) return
    this.#open.delete(stream)
    this.#reset.delete(stream)
  }

  /** We reset a stream. */
  weReset(stream: number): void {
    if (!this.#open.delete(stream)) return
    this.#reset.add(stream)
    if (this.#reset.size <= MAX_RESET) return
    for (const eldest of this.#reset) {
      this.#reset.delete(eldest)
      return
    }
  }

  #mustHaveBegun(stream: number): void {
    // Those with even numbers would be ours, and we begin none.
    if (stream > this.highest || stream % 2 === 0) throw idle()
  }

  #noteGap(first: number, last: number): void {
    if (this.#gaps.length >= MAX_GAPS) this.#gaps.shift()
    this.#gaps.push([first, last])
  }
}
