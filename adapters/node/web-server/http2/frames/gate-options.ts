import type { FieldResponse } from '../../http1/fast/fast-responses.ts'
import type { FrameError } from './frame-error.ts'

/** What `FrameGate` bounds, asks and tells. */
export interface GateOptions {
  /** Fields of one request. */
  maxFields: number
  /** Bytes of one header list (RFC 9113 6.5.2). */
  maxListBytes: number
  /**
   * The ready answer to a request without a body, its own body no longer than
   * `roomBytes`; null: the session serves it. The same list comes as the same array.
   */
  answer(stream: number, fields: readonly string[], roomBytes: number): FieldResponse | null
  /** The client resets a stream that was answered here. */
  onReset(): void
  /** The client sent what costs it next to nothing and means nothing. */
  onControl(): void
  /** The client broke the protocol: the connection must end with the error's code. */
  onBroken(error: FrameError): void
}
