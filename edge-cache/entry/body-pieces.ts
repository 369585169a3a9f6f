/** Up to this a copy costs less than a stream. */
const COPIED_BYTES = 65_536
const PIECE_BYTES = 262_144

/**
 * A stored body for `new Response`, which copies bytes that it is given: a client
 * that reads a large one slowly would hold a copy of its own all the while. So
 * those are given as a stream of views.
 */
export const bodyPieces = (
  body: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> => {
  if (body.byteLength <= COPIED_BYTES) return body
  let at = 0
  return new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(body.subarray(at, at + PIECE_BYTES))
        at += PIECE_BYTES
        if (at >= body.byteLength) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
