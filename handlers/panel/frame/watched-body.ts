const CHECK_EVERY_MS = 250

/**
 * A body that goes on only while `check` does not throw: asked before a chunk is passed
 * on, four times a second at most, and always before the end is told. So what takes
 * long ends with the right to it, and what was sent up to then never counts as whole.
 */
export const watchedBody = (
  body: ReadableStream<Uint8Array>,
  check: () => Promise<void>,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let checkedAtMs = performance.now()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        const nowMs = performance.now()
        try {
          if (done || nowMs - checkedAtMs >= CHECK_EVERY_MS) {
            checkedAtMs = nowMs
            await check()
          }
        } catch (error) {
          // Not awaited: the other side may never acknowledge.
          void reader.cancel(error).catch(() => undefined)
          throw error
        }
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
