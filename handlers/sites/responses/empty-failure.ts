import { IncompletePage } from './incomplete-page.ts'

/** The rest of a body whose first piece was read already. */
const after = (
  first: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> => {
  let held: Uint8Array | null = first
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (held !== null) {
          controller.enqueue(held)
          held = null
          return
        }
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Looks whether a script failed without a word, as PHP does on a fatal error
 * before the first output with `display_errors` off: a visitor would see a blank
 * page. Answers null then, else a response with the same content. Rejects where
 * the body breaks before its first byte.
 */
export const unlessEmptyFailure = async (response: Response): Promise<Response | null> => {
  const { status, headers } = response
  if (status < 500 || Number(headers.get('content-length') ?? 0) > 0) return response
  const { body } = response
  if (body === null) return null
  const reader = body.getReader()
  for (;;) {
    try {
      const { done, value } = await reader.read()
      if (done) return null
      if (value.byteLength > 0) return new Response(after(value, reader), { status, headers })
    } catch (error) {
      if (error instanceof IncompletePage) return null
      throw error
    }
  }
}
