import { ClientStreams } from './client-streams.ts'
import type { ClientSettings } from '../session/client-settings.ts'
import { FLOW_CONTROL_ERROR, PROTOCOL_ERROR } from '../frames/frame-error.ts'
import { END_STREAM, FRAME_HEAD_BYTES, MAX_31_BITS, PADDED, streamAt } from '../frames/frames.ts'
import { SendWindows } from '../session/send-windows.ts'

/**
 * What a client may do with its streams. Methods that judge a frame answer the code of
 * an error of its stream alone, or null, and throw `FrameError` for one of the connection.
 */
export class StreamBounds {
  readonly streams = new ClientStreams()
  readonly #settings: Pick<ClientSettings, 'initialWindowBytes'>
  readonly #windows = new SendWindows()

  constructor(settings: Pick<ClientSettings, 'initialWindowBytes'>) {
    this.#settings = settings
  }

  /** DATA: no more content than its head announced (RFC 9113 8.1.1). */
  data(bytes: Buffer, start: number, end: number): number | null {
    const flags = bytes[start + 4] as number
    const from = start + FRAME_HEAD_BYTES
    const padding = (flags & PADDED) === 0 ? 0 : 1 + (bytes[from] as number)
    const isLast = (flags & END_STREAM) !== 0
    const fits = this.streams.data(streamAt(bytes, start), end - from - padding, isLast)
    return fits ? null : PROTOCOL_ERROR
  }

  /** WINDOW_UPDATE: its stream's window grows, and not beyond what any can be (RFC 9113 6.9). */
  grow(bytes: Buffer, start: number): number | null {
    const increment = bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & MAX_31_BITS
    const { initialWindowBytes } = this.#settings
    const fits = this.#windows.grow(streamAt(bytes, start), increment, initialWindowBytes)
    if (increment === 0) return PROTOCOL_ERROR
    return fits ? null : FLOW_CONTROL_ERROR
  }

  /** A stream begins that is answered with frames that `sent` hears of. */
  begin(stream: number): void {
    this.#windows.begin(stream)
  }

  /** So many bytes of DATA were sent on a stream; `isLast`: nothing follows. */
  sent(stream: number, bytes: number, isLast: boolean): void {
    this.#windows.sent(stream, bytes, isLast)
  }

  /** Nothing more is sent on a stream. */
  forget(stream: number): void {
    this.#windows.forget(stream)
  }

  /** We reset a stream. */
  weReset(stream: number): void {
    this.streams.weReset(stream)
    this.#windows.forget(stream)
  }
}
