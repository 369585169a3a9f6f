import { AppError } from '../../errors.ts'

const MAX_HEAD_BYTES = 16 * 1024
const broken = (): AppError => new AppError(400, 'The multipart body is malformed.')

/** Forms have a few fields beside the file. */
const MAX_PARTS = 100

/**
 * Finds `wanted` in each byte's time once, whatever the bytes are (Knuth, Morris and
 * Pratt): senders choose both the boundary and what nearly is one. Answers -1 without.
 */
const finderOf = (wanted: Uint8Array): ((bytes: Uint8Array) => number) => {
  /** By how many bytes are matched: how many still are when the next one differs. */
  const fallback = new Uint16Array(wanted.length + 1)
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = fallback[matched] ?? 0
    if (wanted[at] === wanted[matched]) matched++
    fallback[at + 1] = matched
  }
  const first = wanted[0] ?? 0
  return (bytes) => {
    let matched = 0
    for (let at = 0; at < bytes.length; at++) {
      if (matched === 0) {
        at = bytes.indexOf(first, at)
        if (at === -1) return -1
      }
      while (matched > 0 && bytes[at] !== wanted[matched]) matched = fallback[matched] ?? 0
      if (bytes[at] === wanted[matched] && ++matched === wanted.length)
        return at + 1 - wanted.length
    }
    return -1
  }
}

const startsWith = (bytes: Uint8Array, wanted: Uint8Array): boolean =>
  bytes.length >= wanted.length && wanted.every((byte, at) => bytes[at] === byte)

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
  const findDelimiter = finderOf(delimiter)
  const findHeadEnd = finderOf(encoder.encode('\r\n\r\n'))
  let parts = 0
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
    const at = findDelimiter(rest)
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
    if (++parts > MAX_PARTS)
      throw new AppError(400, `The multipart body has more than ${MAX_PARTS} parts.`)
    rest = rest.subarray(at + delimiter.length)
    while (rest.length < 2) await more()
    if (rest[0] === 0x2d && rest[1] === 0x2d)
      throw new AppError(400, 'The multipart body has no file.')
    let end = findHeadEnd(rest)
    while (end === -1) {
      if (rest.length > MAX_HEAD_BYTES) throw broken()
      await more()
      end = findHeadEnd(rest)
    }
    const head = new TextDecoder().decode(rest.subarray(0, end))
    within = /^content-disposition:.*;\s*filename\*?=/im.test(head) ? 'file' : 'other'
    // The line end before a boundary may be that of an empty part's head.
    rest = rest.subarray(end + 2)
    if (!startsWith(rest, delimiter)) rest = rest.subarray(2)
  }
}
