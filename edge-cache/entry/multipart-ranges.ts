import type { BytePart } from '../fields/byte-ranges.ts'

/** A body of several parts (RFC 9110, 14.6 and 15.3.7.2). */
export interface MultipartRanges {
  contentType: string
  /** Of the whole body. */
  lengthBytes: number
  /** What stands before each part, and behind the last. */
  texts: readonly Uint8Array<ArrayBuffer>[]
}

const BOUNDARY_BYTES = 15

const newBoundary = (): string => {
  let text = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(BOUNDARY_BYTES))) {
    text += byte.toString(16).padStart(2, '0')
  }
  return text
}

/**
 * Frames several parts of a representation of `sizeBytes`. `type` is its own
 * `Content-Type`, one character per byte; null: it has none.
 */
export const multipartRanges = (
  parts: readonly BytePart[],
  type: string | null,
  sizeBytes: number,
): MultipartRanges => {
  // Nobody who writes a page can know it, so no page can end its own part.
  const boundary = newBoundary()
  const typeLine = type === null ? '' : `content-type: ${type}\r\n`
  const texts: Uint8Array<ArrayBuffer>[] = []
  let lengthBytes = 0
  const add = (text: string): void => {
    texts.push(Uint8Array.from(text, (character) => character.charCodeAt(0)))
    lengthBytes += text.length
  }
  for (const [index, { start, end }] of parts.entries()) {
    const range = `content-range: bytes ${start}-${end}/${sizeBytes}\r\n\r\n`
    add(`${index === 0 ? '' : '\r\n'}--${boundary}\r\n${typeLine}${range}`)
    lengthBytes += end - start + 1
  }
  add(`\r\n--${boundary}--\r\n`)
  return { contentType: `multipart/byteranges; boundary=${boundary}`, lengthBytes, texts }
}

/**
 * The body itself. `read` gives the bytes of one part; `close` is called once, when all
 * were read, nobody reads any more, or reading failed.
 */
export const multipartBody = (
  { texts }: MultipartRanges,
  parts: readonly BytePart[],
  read: (part: BytePart) => ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
  close: () => void = () => undefined,
): ReadableStream<Uint8Array> => {
  let closed = false
  const closeOnce = (): void => {
    if (!closed) close()
    closed = true
  }
  const chunks = (async function* () {
    try {
      for (const [index, part] of parts.entries()) {
        yield texts[index] as Uint8Array
        const bytes = read(part)
        if (bytes instanceof Uint8Array) yield bytes
        else yield* bytes
      }
      yield texts[parts.length] as Uint8Array
    } finally {
      closeOnce()
    }
  })()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
        // A generator that was never asked closes nothing.
        closeOnce()
      },
    },
    { highWaterMark: 0 },
  )
}
