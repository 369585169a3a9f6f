import type { FieldResponse } from '../../http1/fast/fast-responses.ts'
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  FRAME_HEAD_BYTES,
  HEADERS,
  MAX_FRAME_BYTES,
  putFrameHead,
} from '../frames/frames.ts'
import { encodeFields } from '../hpack/encoder.ts'

const blocks = new WeakMap<FieldResponse, Buffer>()

const blockOf = (answer: FieldResponse): Buffer => {
  const known = blocks.get(answer)
  if (known !== undefined) return known
  const block = encodeFields(answer.fields)
  blocks.set(answer, block)
  return block
}

/** Whether the response's fields fit into one frame; the session sends those that do not. */
export const fitsFrame = (answer: FieldResponse): boolean =>
  blockOf(answer).length <= MAX_FRAME_BYTES

/** Bytes of a whole response on the wire. */
export const responseBytes = (answer: FieldResponse): number => {
  const head = FRAME_HEAD_BYTES + blockOf(answer).length
  if (answer.body === null) return head
  const { byteLength } = answer.body
  return head + byteLength + Math.ceil(byteLength / MAX_FRAME_BYTES) * FRAME_HEAD_BYTES
}

/** Writes a whole response at `at`: HEADERS and DATA that end the stream. Answers where it ends. */
export const putResponse = (
  out: Buffer,
  start: number,
  stream: number,
  answer: FieldResponse,
): number => {
  const block = blockOf(answer)
  const { body } = answer
  const flags = body === null ? END_HEADERS | END_STREAM : END_HEADERS
  let at = putFrameHead(out, start, HEADERS, flags, stream, block.length)
  out.set(block, at)
  at += block.length
  if (body === null) return at
  for (let from = 0; from < body.byteLength; from += MAX_FRAME_BYTES) {
    const size = Math.min(MAX_FRAME_BYTES, body.byteLength - from)
    const isLast = from + size === body.byteLength
    at = putFrameHead(out, at, DATA, isLast ? END_STREAM : 0, stream, size)
    out.set(size === body.byteLength ? body : body.subarray(from, from + size), at)
    at += size
  }
  return at
}
