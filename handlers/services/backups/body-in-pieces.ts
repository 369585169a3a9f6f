/**
 * A file as a body, asked for in pieces of base64 as fast as the client takes them. `first`
 * is the piece at 0, which was asked for already: what cannot be read at all is known
 * before a response begins.
 */
export const bodyInPieces = (
  sizeBytes: number,
  first: string,
  read: (offset: number) => Promise<{ content: string }>,
): ReadableStream<Uint8Array> => {
  let offset = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { content } = offset === 0 ? { content: first } : await read(offset)
        const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0))
        offset += bytes.length
        // A shorter body than announced is an error on the wire, as it should be.
        if (bytes.length > 0) controller.enqueue(bytes)
        if (bytes.length === 0 || offset >= sizeBytes) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
