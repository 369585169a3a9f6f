/** As much is kept of a form's beginning, and of its end. */
const KEPT_BYTES = 4096

/** A request whose form is looked at as it passes by. */
export interface WatchedForm {
  /** To be used in place of the one that was given. */
  request: Request
  /** Beginning and end of what has passed so far, whole parameters only; null: nothing has. */
  text(): string | null
}

const FORM = /^application\/x-www-form-urlencoded(?:[;\s]|$)/i

const join = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const both = new Uint8Array(one.byteLength + other.byteLength)
  both.set(one)
  both.set(other, one.byteLength)
  return both
}

/**
 * Keeps the ends of a form (`application/x-www-form-urlencoded`), where applications
 * say what is to be done, while the whole of it goes on as it comes. Null where the
 * request has none.
 */
export const watchForm = (request: Request): WatchedForm | null => {
  const { body, headers } = request
  if (body === null || !FORM.test(headers.get('content-type') ?? '')) return null
  let head: Uint8Array = new Uint8Array()
  let tail: Uint8Array = new Uint8Array()
  let isCut = false
  const note = (chunk: Uint8Array): void => {
    const room = KEPT_BYTES - head.byteLength
    if (room > 0) head = join(head, chunk.subarray(0, room))
    const rest = chunk.subarray(Math.max(0, room))
    if (rest.byteLength === 0) return
    const kept = join(tail, rest.subarray(-KEPT_BYTES))
    isCut ||= tail.byteLength + rest.byteLength > KEPT_BYTES
    tail = kept.subarray(-KEPT_BYTES).slice()
  }
  const watched = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        note(chunk)
        controller.enqueue(chunk)
      },
    }),
  )
  const init: RequestInit & { duplex: 'half' } = { body: watched, duplex: 'half' }
  return {
    request: new Request(request, init),
    text: () => {
      if (head.byteLength === 0) return null
      const decoder = new TextDecoder()
      if (!isCut) return decoder.decode(join(head, tail))
      const first = decoder.decode(head)
      const last = decoder.decode(tail)
      const mark = last.indexOf('&')
      return (
        first.slice(0, Math.max(0, first.lastIndexOf('&'))) + (mark === -1 ? '' : last.slice(mark))
      )
    },
  }
}
