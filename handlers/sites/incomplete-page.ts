/**
 * Ends the body of an answer whose script died of a fatal error after its first
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

/** Passes a body on and ends it normally where it fails with `IncompletePage`; other errors stay errors. */
export const endIncompletePages = (
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          if (error instanceof IncompletePage) controller.close()
          else controller.error(error)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
