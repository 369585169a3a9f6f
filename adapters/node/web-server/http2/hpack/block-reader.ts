import { checkDependency } from '../frames/frame-rules.ts'
import { ENHANCE_YOUR_CALM, FrameError, PROTOCOL_ERROR } from '../frames/frame-error.ts'
import {
  CONTINUATION,
  END_HEADERS,
  END_STREAM,
  FRAME_HEAD_BYTES,
  HAS_PRIORITY,
  HEADERS,
  PADDED,
  streamAt,
} from '../frames/frames.ts'

/** CONTINUATION frames of one header block: what they hold would fit into fewer (CVE-2024-27316). */
const MAX_CONTINUATIONS = 8
const PRIORITY_BYTES = 5

/** A whole header block. */
export interface HeaderBlock {
  stream: number
  endStream: boolean
  bytes: Buffer
}

/** Joins HEADERS and CONTINUATION frames; padding and priorities are left out. */
export class BlockReader {
  readonly #maxBytes: number
  #stream = 0
  #endStream = false
  #parts: Buffer[] = []
  #bytes = 0

  /** `maxBytes`: longest block. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether nothing but CONTINUATION may come now. */
  get isOpen(): boolean {
    return this.#parts.length > 0
  }

  /** Takes one of the two frames; answers the block when it is whole. Throws `FrameError`. */
  take(bytes: Buffer, start: number, end: number): HeaderBlock | null {
    const type = bytes[start + 3] as number
    const flags = bytes[start + 4] as number
    const stream = streamAt(bytes, start)
    if (type === HEADERS) this.#begin(stream, flags)
    else if (stream !== this.#stream) {
      throw new FrameError(PROTOCOL_ERROR, 'A CONTINUATION frame continues nothing.')
    }
    const isHeaders = type === HEADERS
    const part = isHeaders
      ? fragment(bytes, start, end, stream)
      : bytes.subarray(start + FRAME_HEAD_BYTES, end)
    this.#bytes += part.length
    if (this.#bytes > this.#maxBytes || this.#parts.length > MAX_CONTINUATIONS) {
      throw new FrameError(ENHANCE_YOUR_CALM, 'A header block is too long.')
    }
    if ((flags & END_HEADERS) === 0) {
      this.#parts.push(Buffer.from(part))
      return null
    }
    const whole = isHeaders ? part : Buffer.concat([...this.#parts, part])
    this.#parts = []
    return { stream, endStream: this.#endStream, bytes: whole }
  }

  #begin(stream: number, flags: number): void {
    this.#stream = stream
    this.#endStream = (flags & END_STREAM) !== 0
    this.#bytes = 0
  }
}

const fragment = (bytes: Buffer, start: number, end: number, stream: number): Buffer => {
  const flags = bytes[start + 4] as number
  let from = start + FRAME_HEAD_BYTES
  let to = end
  if ((flags & PADDED) !== 0) to -= from < end ? (bytes[from++] as number) : end
  const priorityAt = from
  if ((flags & HAS_PRIORITY) !== 0) from += PRIORITY_BYTES
  if (from > to) throw new FrameError(PROTOCOL_ERROR, 'A frame is longer inside than outside.')
  if (from > priorityAt) checkDependency(bytes, priorityAt, stream)
  return bytes.subarray(from, to)
}

/** Whether the frame at `start` is part of a header block. */
export const isBlockPart = (bytes: Buffer, start: number): boolean =>
  bytes[start + 3] === HEADERS || bytes[start + 3] === CONTINUATION
