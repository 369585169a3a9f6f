/** The same body, which calls `leave` when it was read to its end, failed, or is left. */
export const leavingBody = (
  body: ReadableStream<Uint8Array>,
  leave: () => void,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
        } catch (error) {
          leave()
          throw error
        }
        leave()
        controller.close()
      },
      async cancel(reason) {
        leave()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
