/** Feeds a response body from events: what arrives is queued, the reader sets the pace. */
export interface AnswerBody {
  /** Made when it is asked for: a body that is there as a whole needs none. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** Bytes waiting for the reader. */
  readonly queuedBytes: number
  push(piece: Uint8Array<ArrayBuffer>): void
  /** Everything, without a copy where it came in one piece, when it has ended well and nobody has read yet; null otherwise. */
  takeWhole(): Uint8Array<ArrayBuffer> | null
  /** Ends the body after what is queued: normally, or with an error. */
  end(error?: Error): void
}

/**
 * Unlike a stream controller's own queue, this one delivers every byte before it
 * reports an error: a page that broke off still shows what there was.
 * `wanted` is called when the queue is empty and more is asked for; `cancelled`
 * when nobody reads any more; `passed` for each piece that leaves.
 */
export const createAnswerBody = (events: {
  wanted(): void
  cancelled(): void
  passed(piece: Uint8Array): void
}): AnswerBody => {
  const queue: Uint8Array<ArrayBuffer>[] = []
  let queuedBytes = 0
  let ended = false
  let failure: Error | null = null
  let wake: (() => void) | null = null

  const notify = (): void => {
    wake?.()
    wake = null
  }
  const streamOf = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
    new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          if (queue.length === 0 && !ended) {
            events.wanted()
            await new Promise<void>((resolve) => (wake = resolve))
          }
          const piece = queue.shift()
          if (piece) {
            queuedBytes -= piece.byteLength
            events.passed(piece)
            controller.enqueue(piece)
            if (queue.length === 0 && ended && failure === null) controller.close()
          } else if (failure) controller.error(failure)
          else controller.close()
        },
        cancel() {
          ended = true
          queue.length = 0
          notify()
          events.cancelled()
        },
      },
      { highWaterMark: 0 },
    )
  return {
    stream: streamOf,
    get queuedBytes() {
      return queuedBytes
    },
    push(piece) {
      if (ended || piece.byteLength === 0) return
      queue.push(piece)
      queuedBytes += piece.byteLength
      notify()
    },
    takeWhole() {
      if (!ended || failure !== null) return null
      const [first] = queue
      return first !== undefined && queue.length === 1 ? first : Buffer.concat(queue)
    },
    end(error) {
      if (ended) return
      ended = true
      failure = error ?? null
      notify()
    },
  }
}
