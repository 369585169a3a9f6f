/**
 * Passes bytes on as long as there are no more than `maxBytes`, of all that go through it
 * together; then fails with what `tooLarge` answers. A stage of a pipeline.
 */
export const boundedBytes = (maxBytes: number, tooLarge: () => Error) => {
  let left = maxBytes
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      left -= chunk.length
      if (left < 0) throw tooLarge()
      yield chunk
    }
  }
}
