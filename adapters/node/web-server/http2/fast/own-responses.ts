import type { TLSSocket } from 'node:tls'
import type { FieldResponse } from '../../http1/fast/fast-responses.ts'
import type { ClientSettings } from '../session/client-settings.ts'
import { giveBack, takeRoom } from '../frames/scratch-buffers.ts'
import { responseBytes, putResponse } from './fast-frames.ts'
import type { SharedWindow } from '../session/shared-window.ts'

/** Bytes that may wait for a client before the session, which waits for it, gives its responses. */
const MAX_WAITING_BYTES = 262_144

/** Answers that are sent beside the session: each whole, those to one piece of input together. */
export class OwnResponses {
  readonly #socket: TLSSocket
  readonly #settings: ClientSettings
  readonly #window: SharedWindow
  #queue: { stream: number; answer: FieldResponse }[] = []
  #queuedBytes = 0
  /** Highest stream that was answered. */
  last = 0

  constructor(socket: TLSSocket, settings: ClientSettings, window: SharedWindow) {
    this.#socket = socket
    this.#settings = settings
    this.#window = window
  }

  /** How long a body may be to be sent at once; null: nothing may be sent. */
  get roomBytes(): number | null {
    const streamBytes = this.#settings.windowBytes
    if (streamBytes === null) return null
    if (this.#socket.writableLength + this.#queuedBytes > MAX_WAITING_BYTES) return null
    return Math.min(streamBytes, this.#window.ownBytes)
  }

  add(stream: number, answer: FieldResponse): void {
    this.#window.takeOwn(answer.body?.byteLength ?? 0)
    this.last = stream
    this.#queue.push({ stream, answer })
    this.#queuedBytes += responseBytes(answer)
  }

  /** Sends what was added. */
  flush(): void {
    if (this.#queue.length === 0) return
    const out = takeRoom(this.#queuedBytes)
    let at = 0
    for (const { stream, answer } of this.#queue) at = putResponse(out, at, stream, answer)
    this.#queue = []
    this.#queuedBytes = 0
    if (this.#socket.writable) this.#socket.write(out, () => giveBack(out))
    else giveBack(out)
  }
}
