/** What a response's body asks of who feeds it. */
export interface ResponseBodyEvents {
  /** The queue is empty and more is asked for. */
  wanted(): void
  /** Nobody reads any more. */
  cancelled(): void
  /** A piece leaves. */
  passed(piece: Uint8Array): void
}

/**
 * Feeds a response body from events: what arrives is queued, the reader sets the
 * pace. Unlike a stream controller's own queue, this one delivers every byte before
 * it reports an error: a page that broke off still shows what there was.
 *
 * A class, since a literal with a getter gets a shape of its own each time, in the
 * old generation, which holds everything that the getter sees until a full collection.
 */
export class ResponseBody {
  readonly #events: ResponseBodyEvents
  readonly #queue: Uint8Array<ArrayBuffer>[] = []
  #queuedBytes = 0
  #ended = false
  #failure: Error | null = null
  #wake: (() => void) | null = null

  constructor(events: ResponseBodyEvents) {
    this.#events = events
  }

  /** Bytes waiting for the reader. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  push(piece: Uint8Array<ArrayBuffer>): void {
    if (this.#ended || piece.byteLength === 0) return
    this.#queue.push(piece)
    this.#queuedBytes += piece.byteLength
    this.#notify()
  }

  /** Everything, without a copy where it came in one piece, when it has ended well and nobody has read yet; null otherwise. */
  takeWhole(): Uint8Array<ArrayBuffer> | null {
    if (!this.#ended || this.#failure !== null) return null
    const [first] = this.#queue
    return first !== undefined && this.#queue.length === 1 ? first : Buffer.concat(this.#queue)
  }

  /** Ends the body after what is queued: normally, or with an error. */
  end(error?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = error ?? null
    this.#notify()
  }

  /** Made when it is asked for: a body that is there as a whole needs none. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.#ended = true
          this.#queue.length = 0
          this.#notify()
          this.#events.cancelled()
        },
      },
      { highWaterMark: 0 },
    )
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    const queue = this.#queue
    if (queue.length === 0 && !this.#ended) {
      this.#events.wanted()
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const piece = queue.shift()
    if (piece) {
      this.#queuedBytes -= piece.byteLength
      this.#events.passed(piece)
      controller.enqueue(piece)
      if (queue.length === 0 && this.#ended && this.#failure === null) controller.close()
    } else if (this.#failure) controller.error(this.#failure)
    else controller.close()
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = null
  }
}
