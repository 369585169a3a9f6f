import { AppError } from '../errors.ts'

const MAX_HEAD_BYTES = 16 * 1024
const broken = (): AppError => new AppError(400, 'The multipart body is malformed.')

const indexOf = (bytes: Uint8Array, wanted: Uint8Array, from = 0): number => {
  for (
    let at = bytes.indexOf(wanted[0] ?? 0, from);
    at !== -1;
    at = bytes.indexOf(wanted[0] ?? 0, at + 1)
  ) {
    if (at + wanted.length > bytes.length) return -1
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

const joined = (one: Uint8Array, two: Uint8Array): Uint8Array => {
  const both = new Uint8Array(one.length + two.length)
  both.set(one)
  both.set(two, one.length)
  return both
}

/** The boundary of a `multipart/form-data` type (RFC 2046, 5.1.1); throws 400 without a good one. */
export const boundaryOf = (contentType: string): string => {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) throw broken()
  return boundary
}

/**
 * The content of the first part that is a file (RFC 7578), streamed: no more than
 * a chunk and a boundary is held. What follows it is not read. Throws 400 when
 * there is none, or the body breaks off before its end.
 */
export async function* multipartFile(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const delimiter = encoder.encode(`\r\n--${boundary}`)
  const headEnd = encoder.encode('\r\n\r\n')
  const source = chunks[Symbol.asyncIterator]()
  // As if a line ended before the body, so that the first boundary is like the others.
  let rest: Uint8Array = encoder.encode('\r\n')
  const more = async (): Promise<void> => {
    const { done, value } = await source.next()
    if (done === true) throw broken()
    rest = joined(rest, value)
  }
  let within: 'preamble' | 'other' | 'file' = 'preamble'
  for (;;) {
    const at = indexOf(rest, delimiter)
    if (at === -1) {
      // All but what may be the beginning of a boundary.
      const sure = Math.max(0, rest.length - delimiter.length)
      if (within === 'file' && sure > 0) yield rest.subarray(0, sure)
      rest = rest.subarray(sure)
      await more()
      continue
    }
    if (within === 'file') {
      if (at > 0) yield rest.subarray(0, at)
      return
    }
    rest = rest.subarray(at + delimiter.length)
    while (rest.length < 2) await more()
    if (rest[0] === 0x2d && rest[1] === 0x2d)
      throw new AppError(400, 'The multipart body has no file.')
    let end = indexOf(rest, headEnd)
    while (end === -1) {
      if (rest.length > MAX_HEAD_BYTES) throw broken()
      await more()
      end = indexOf(rest, headEnd)
    }
    const head = new TextDecoder().decode(rest.subarray(0, end))
    within = /^content-disposition:.*;\s*filename\*?=/im.test(head) ? 'file' : 'other'
    // The line end before a boundary may be that of an empty part's head.
    rest = rest.subarray(end + 2)
    if (indexOf(rest, delimiter) !== 0) rest = rest.subarray(2)
  }
}
