/** How the reading of a response's body ended, for who stores it. */
export interface CaptureEvents {
  /** The whole body; the client's last bytes wait until the promise settles. */
  complete(body: Uint8Array<ArrayBuffer>): Promise<void>
  /** Larger than `maxBytes`: the copy is given up, the client still gets everything. */
  overflow(): void
  /** Broken off, or another length than declared: nothing may be stored. */
  failed(): void
}

const joined = (chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> => {
  const body = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}

/**
 * Copies a body while it goes to the client. Up to `maxBytes` the origin is read
 * at its own speed, also when the client is slow or gone, since others wait for
 * the page; beyond that the client sets the pace. Every chunk is copied, because
 * an origin may use its buffer again. With `declaredBytes` (Content-Length) the
 * chunk that completes the body is held back until the page is stored; without,
 * the end of the stream is: either way a client that has its response finds the
 * page in the cache.
 */
export const captureBody = (
  source: ReadableStream<Uint8Array>,
  options: { declaredBytes: number | null; maxBytes: number },
  events: CaptureEvents,
): ReadableStream<Uint8Array> => {
  const { declaredBytes, maxBytes } = options
  const reader = source.getReader()
  let chunks: Uint8Array[] = []
  let size = 0
  let held: Uint8Array | null = null
  let capturing = true
  let clientGone = false
  /** Why the body broke off, for when the client has taken what came before. */
  let broken: { error: unknown } | null = null

  type Controller = ReadableStreamDefaultController<Uint8Array>
  const send = (controller: Controller, chunk: Uint8Array): void => {
    if (!clientGone) controller.enqueue(chunk)
  }
  const finish = async (controller: Controller): Promise<void> => {
    if (declaredBytes !== null && declaredBytes !== size) {
      throw new Error(`The answer has ${size} bytes; its Content-Length says ${declaredBytes}.`)
    }
    if (capturing) await events.complete(joined(chunks, size))
    if (held) send(controller, held)
    if (!clientGone) controller.close()
  }
  const take = (controller: Controller, chunk: Uint8Array): void => {
    size += chunk.byteLength
    if (capturing && size > maxBytes) {
      capturing = false
      chunks = []
      events.overflow()
    }
    if (!capturing) {
      send(controller, chunk)
      return
    }
    const copy = chunk.slice()
    chunks.push(copy)
    if (size === declaredBytes && copy.byteLength > 0) held = copy
    else send(controller, copy)
  }
  /** Reads one chunk; false at the end. */
  const step = async (controller: Controller): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (done) {
      await finish(controller)
      return false
    }
    take(controller, value)
    return true
  }
  const fail = (controller: Controller, error: unknown): void => {
    if (capturing) events.failed()
    capturing = false
    // An error would take with it what the client has not read yet.
    if (clientGone || (controller.desiredSize ?? 0) <= 0) broken = { error }
    else controller.error(error)
    reader.cancel(error).catch(() => undefined)
  }

  const pump = async (controller: Controller): Promise<void> => {
    try {
      while (capturing) if (!(await step(controller))) return
      if (clientGone) await reader.cancel()
    } catch (error) {
      fail(controller, error)
    }
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Not driven by `pull`: while capturing, reading does not depend on the client.
      void pump(controller)
    },
    async pull(controller) {
      if (broken && !clientGone) controller.error(broken.error)
      if (broken || capturing || clientGone) return
      try {
        await step(controller)
      } catch (error) {
        fail(controller, error)
      }
    },
    async cancel(reason) {
      clientGone = true
      if (!capturing) await reader.cancel(reason)
    },
  })
}
