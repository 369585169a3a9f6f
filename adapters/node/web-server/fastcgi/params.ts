import type { PhpCall } from '#handlers/sites/php-origin.ts'
import { cgiVariables } from './cgi-variables.ts'
import { encodeStream, HEADER_BYTES, MAX_CONTENT_BYTES, RECORD, writeHeader } from './records.ts'

/** One pair and its record's head at most; grown for what is larger. */
let scratch = Buffer.allocUnsafeSlow(64 * 1024)
/** Room for the record's header ahead of the content. */
const CONTENT_AT = HEADER_BYTES

const room = (at: number, bytes: number): void => {
  if (at + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + bytes))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
}

const writeLength = (at: number, size: number): number => {
  if (size < 128) {
    scratch[at] = size
    return at + 1
  }
  scratch.writeUInt32BE((size | 0x80000000) >>> 0, at)
  return at + 4
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** Writes a name-value pair (FastCGI 1.0, 3.4); answers where the next one begins. */
const writePair = (start: number, name: string, value: string, isField: boolean): number => {
  const isBytes = isField || isAscii(value)
  const size = isBytes ? value.length : Buffer.byteLength(value, 'utf8')
  room(start, name.length + size + 8 + HEADER_BYTES)
  let at = writeLength(start, name.length)
  at = writeLength(at, size)
  at += scratch.write(name, at, 'latin1')
  return at + scratch.write(value, at, isBytes ? 'latin1' : 'utf8')
}

/** Larger than requests are; what one request needed is not kept for good. */
const KEPT_BYTES = 256 * 1024

/** The PARAMS stream of a request. `contentLength` null: there is no body. */
export const encodeParams = (
  request: Request,
  call: PhpCall,
  contentLength: number | null,
): Buffer => {
  let at = CONTENT_AT
  cgiVariables(request, call, contentLength, (name, value, isField) => {
    at = writePair(at, name, value, isField)
  })
  const size = at - CONTENT_AT
  let stream: Buffer
  if (size <= MAX_CONTENT_BYTES) {
    writeHeader(scratch, 0, RECORD.params, size)
    writeHeader(scratch, at, RECORD.params, 0)
    stream = Buffer.from(scratch.subarray(0, at + HEADER_BYTES))
  } else stream = encodeStream(RECORD.params, scratch.subarray(CONTENT_AT, at))
  if (scratch.length > KEPT_BYTES) scratch = Buffer.allocUnsafeSlow(64 * 1024)
  return stream
}
