/**
 * Ends the body of a response whose script died of a fatal error after its first
 * output: every byte it wrote has arrived, but it is not the page it should be.
 * As an error it keeps the page out of the cache; `endIncompletePages` turns it
 * into a normal end for the client, who is better off with most of a page.
 */
export class IncompletePage extends Error {
  constructor() {
    super('The script ended with a fatal error after it had begun to answer.')
    this.name = 'IncompletePage'
  }
}

/**
 * What a script's answer has passed on and the client has not got yet. A stream
 * between the two drops what waits in it when it fails; this is how the client
 * gets it nevertheless. Holds references, no copies.
 */
export class PageTail {
  #chunks: Uint8Array[] = []
  /** Offset of the first chunk in the body. */
  #start = 0

  /** The script's answer passes on a chunk. */
  record(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  /** The client has the first `bytes` bytes. */
  delivered(bytes: number): void {
    for (;;) {
      const size = this.#chunks[0]?.byteLength
      if (size === undefined || this.#start + size > bytes) return
      this.#chunks.shift()
      this.#start += size
    }
  }

  /** What follows the first `bytes` bytes. */
  after(bytes: number): Uint8Array[] {
    this.delivered(bytes)
    const [first, ...others] = this.#chunks
    return first ? [first.subarray(bytes - this.#start), ...others] : []
  }
}

/** Passes a body on and ends it normally, with the whole `tail`, where it fails with `IncompletePage`; other errors stay errors. */
export const endIncompletePages = (
  body: ReadableStream<Uint8Array>,
  tail: PageTail,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let sentBytes = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          sentBytes += value.byteLength
          tail.delivered(sentBytes)
          controller.enqueue(value)
        } catch (error) {
          if (!(error instanceof IncompletePage)) return controller.error(error)
          for (const chunk of tail.after(sentBytes)) controller.enqueue(chunk)
          controller.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
