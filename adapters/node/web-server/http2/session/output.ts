import type { ClientSettings } from './client-settings.ts'
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FRAME_HEAD_BYTES,
  GOAWAY,
  HEADERS,
  payloadBytesAt,
  RST_STREAM,
  SETTINGS,
  streamAt,
} from '../frames/frames.ts'
import { giveBack, joinInRoom } from '../frames/scratch-buffers.ts'
import type { SharedWindow } from './shared-window.ts'

/** What the session does to streams. */
export interface SessionEvents {
  onReset(stream: number): void
  /** `bytes` count for the stream's window; `isLast`: its response is whole. */
  onData(stream: number, bytes: number, isLast: boolean): void
}

/** Follows what Node's session sends, frame by frame, and lets only whole frames pass. */
export class SessionOutput {
  readonly #settings: ClientSettings
  readonly #window: SharedWindow
  readonly #lastAnswered: () => number
  readonly #events: SessionEvents
  #rest: Buffer | null = null
  /** Whether a header block has begun and not ended: nothing may come between (RFC 9113 6.10). */
  isInBlock = false
  /** Whether the session has said GOAWAY: it processes no new stream. */
  saidGoodbye = false

  /** `lastAnswered`: the highest stream that was answered beside the session. */
  constructor(
    settings: ClientSettings,
    window: SharedWindow,
    lastAnswered: () => number,
    events: SessionEvents,
  ) {
    this.#settings = settings
    this.#window = window
    this.#lastAnswered = lastAnswered
    this.#events = events
  }

  /** Answers what may be sent now; null: no frame is whole yet. They are the caller's to give back. */
  take(chunks: readonly Buffer[]): Buffer | null {
    const bytes = joinInRoom(this.#rest === null ? chunks : [this.#rest, ...chunks])
    let at = 0
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const end = at + FRAME_HEAD_BYTES + payloadBytesAt(bytes, at)
      if (end > bytes.length) break
      this.#note(bytes, at, end)
      at = end
    }
    this.#rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : null
    if (at > 0) return bytes.subarray(0, at)
    giveBack(bytes)
    return null
  }

  #note(bytes: Buffer, at: number, end: number): void {
    const flags = bytes[at + 4] as number
    const payloadBytes = end - at - FRAME_HEAD_BYTES
    switch (bytes[at + 3]) {
      case DATA:
        this.#events.onData(streamAt(bytes, at), payloadBytes, (flags & END_STREAM) !== 0)
        return this.#window.takeSession(payloadBytes)
      case HEADERS:
        if ((flags & END_STREAM) !== 0) this.#events.onData(streamAt(bytes, at), 0, true)
        this.isInBlock = (flags & END_HEADERS) === 0
        return
      case CONTINUATION:
        this.isInBlock = (flags & END_HEADERS) === 0
        return
      case RST_STREAM:
        return this.#events.onReset(streamAt(bytes, at))
      case SETTINGS:
        if ((flags & ACK) !== 0) this.#settings.acknowledge()
        return
      case GOAWAY: {
        this.saidGoodbye = true
        // Otherwise the client would ask again what was answered beside the session (RFC 9113 6.8).
        const last = bytes.readUInt32BE(at + FRAME_HEAD_BYTES)
        bytes.writeUInt32BE(Math.max(last, this.#lastAnswered()), at + FRAME_HEAD_BYTES)
      }
    }
  }
}
