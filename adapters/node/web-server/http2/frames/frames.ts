/** Frame types and flags (RFC 9113 6). */
export const DATA = 0
export const HEADERS = 1
export const PRIORITY = 2
export const RST_STREAM = 3
export const SETTINGS = 4
export const PUSH_PROMISE = 5
export const PING = 6
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9

export const END_STREAM = 1
/** Of SETTINGS. */
export const ACK = 1
export const END_HEADERS = 4
export const PADDED = 8
export const HAS_PRIORITY = 32

/** Bytes before the payload. */
export const FRAME_HEAD_BYTES = 9
/** Longest payload that either side may send; nobody tells us of more, and we tell nobody. */
export const MAX_FRAME_BYTES = 16_384
/** What a client says first (RFC 9113 3.4). */
export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
/** Largest window and stream number. */
export const MAX_31_BITS = 0x7fff_ffff

/** Writes a frame's head at `at`; answers where the payload begins. */
export const putFrameHead = (
  out: Buffer,
  at: number,
  type: number,
  flags: number,
  stream: number,
  payloadBytes: number,
): number => {
  out[at] = payloadBytes >>> 16
  out[at + 1] = payloadBytes >>> 8
  out[at + 2] = payloadBytes
  out[at + 3] = type
  out[at + 4] = flags
  out[at + 5] = stream >>> 24
  out[at + 6] = stream >>> 16
  out[at + 7] = stream >>> 8
  out[at + 8] = stream
  return at + FRAME_HEAD_BYTES
}

/** Bytes of the payload of the frame at `at`. */
export const payloadBytesAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)

/** Number of the stream that the frame at `at` belongs to. */
export const streamAt = (bytes: Buffer, at: number): number =>
  bytes.readUInt32BE(at + 5) & MAX_31_BITS

/** A whole WINDOW_UPDATE frame of the connection. */
export const windowUpdate = (increment: number): Buffer => {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + 4)
  frame.writeUInt32BE(increment, putFrameHead(frame, 0, WINDOW_UPDATE, 0, 0, 4))
  return frame
}

/** A whole RST_STREAM frame. */
export const resetFrame = (stream: number, code: number): Buffer => {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + 4)
  frame.writeUInt32BE(code, putFrameHead(frame, 0, RST_STREAM, 0, stream, 4))
  return frame
}

/** A whole GOAWAY frame: `last` is the highest stream that may have been processed (RFC 9113 6.8). */
export const goAway = (last: number, code: number): Buffer => {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + 8)
  const at = putFrameHead(frame, 0, GOAWAY, 0, 0, 8)
  frame.writeUInt32BE(last, at)
  frame.writeUInt32BE(code, at + 4)
  return frame
}

/** A header list as HEADERS and, where one frame does not hold it, CONTINUATION frames. */
export const headerFrames = (stream: number, block: Buffer, endStream: boolean): Buffer => {
  const count = Math.max(1, Math.ceil(block.length / MAX_FRAME_BYTES))
  const out = Buffer.allocUnsafe(block.length + count * FRAME_HEAD_BYTES)
  let at = 0
  for (let n = 0; n < count; n++) {
    const part = block.subarray(n * MAX_FRAME_BYTES, (n + 1) * MAX_FRAME_BYTES)
    const last = n === count - 1 ? END_HEADERS : 0
    const flags = n === 0 && endStream ? last | END_STREAM : last
    at = putFrameHead(out, at, n === 0 ? HEADERS : CONTINUATION, flags, stream, part.length)
    out.set(part, at)
    at += part.length
  }
  return out
}
