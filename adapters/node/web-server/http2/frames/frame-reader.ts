import { FRAME_SIZE_ERROR, FrameError, PROTOCOL_ERROR } from './frame-error.ts'
import { FRAME_HEAD_BYTES, MAX_FRAME_BYTES, payloadBytesAt, PREFACE } from './frames.ts'

/** Cuts what a client sends into frames; throws `FrameError` at what is none. */
export class FrameReader {
  readonly #onFrame: (bytes: Buffer, start: number, end: number) => void
  #rest: Buffer | null = null
  #begun = false

  /** `onFrame` is given each frame from its head to its end; the bytes stay as they are. */
  constructor(onFrame: (bytes: Buffer, start: number, end: number) => void) {
    this.#onFrame = onFrame
  }

  /** Answers the preface, once: the session wants to see it. */
  read(chunk: Buffer): Buffer | null {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = null
    let at = 0
    let preface: Buffer | null = null
    if (!this.#begun) {
      const part = bytes.subarray(0, PREFACE.length)
      if (!part.equals(PREFACE.subarray(0, part.length))) {
        throw new FrameError(PROTOCOL_ERROR, 'This is not HTTP/2.')
      }
      if (part.length < PREFACE.length) {
        this.#rest = Buffer.from(bytes)
        return null
      }
      this.#begun = true
      preface = part
      at = PREFACE.length
    }
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const payload = payloadBytesAt(bytes, at)
      if (payload > MAX_FRAME_BYTES) {
        throw new FrameError(FRAME_SIZE_ERROR, 'A frame is longer than allowed.')
      }
      const end = at + FRAME_HEAD_BYTES + payload
      if (end > bytes.length) break
      this.#onFrame(bytes, at, end)
      at = end
    }
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at))
    return preface
  }
}
