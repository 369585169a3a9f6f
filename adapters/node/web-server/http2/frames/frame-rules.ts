import { FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, FrameError, PROTOCOL_ERROR } from './frame-error.ts'
import {
  ACK,
  CONTINUATION,
  DATA,
  FRAME_HEAD_BYTES,
  GOAWAY,
  HEADERS,
  MAX_31_BITS,
  PADDED,
  PING,
  PRIORITY,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  streamAt,
  WINDOW_UPDATE,
} from './frames.ts'

/** Frame types that belong to a stream, and those that belong to the connection (RFC 9113 6). */
const OF_STREAM = new Set([DATA, HEADERS, PRIORITY, RST_STREAM, PUSH_PROMISE, CONTINUATION])
const OF_CONNECTION = new Set([SETTINGS, PING, GOAWAY])

const ENTRY_BYTES = 6
const ENABLE_PUSH = 2
const INITIAL_WINDOW_SIZE = 4
const MAX_FRAME_SIZE = 5
const SMALLEST_FRAME_SIZE = 16_384
const LARGEST_FRAME_SIZE = 16_777_215

const protocol = (message: string): FrameError => new FrameError(PROTOCOL_ERROR, message)
const size = (): FrameError => new FrameError(FRAME_SIZE_ERROR, 'A frame has a wrong length.')

/** Values that a client may give (RFC 9113 6.5.2). */
const checkSettings = (bytes: Buffer, from: number, end: number): void => {
  for (let at = from; at < end; at += ENTRY_BYTES) {
    const id = bytes.readUInt16BE(at)
    const value = bytes.readUInt32BE(at + 2)
    if (id === ENABLE_PUSH && value > 1) throw protocol('ENABLE_PUSH is neither 0 nor 1.')
    if (id === INITIAL_WINDOW_SIZE && value > MAX_31_BITS) {
      throw new FrameError(FLOW_CONTROL_ERROR, 'An initial window is too large.')
    }
    if (id === MAX_FRAME_SIZE && (value < SMALLEST_FRAME_SIZE || value > LARGEST_FRAME_SIZE)) {
      throw protocol('MAX_FRAME_SIZE is none.')
    }
  }
}

/**
 * What a frame of a client must be whatever came before it: its length, its values,
 * and whether it names a stream (RFC 9113 6). Throws `FrameError`.
 */
export const checkFrame = (bytes: Buffer, start: number, end: number): void => {
  const type = bytes[start + 3] as number
  const flags = bytes[start + 4] as number
  const stream = streamAt(bytes, start)
  const from = start + FRAME_HEAD_BYTES
  const length = end - from
  if (stream === 0 ? OF_STREAM.has(type) : OF_CONNECTION.has(type)) {
    throw protocol('A frame belongs to another stream.')
  }
  switch (type) {
    case DATA:
      if ((flags & PADDED) === 0) return
      if (length === 0) throw size()
      if ((bytes[from] as number) >= length) throw protocol('A frame is nothing but padding.')
      return
    case RST_STREAM:
      if (length !== 4) throw size()
      return
    case PRIORITY:
      if (length !== 5) throw size()
      return checkDependency(bytes, from, stream)
    case SETTINGS:
      if ((flags & ACK) !== 0 ? length !== 0 : length % ENTRY_BYTES !== 0) throw size()
      return checkSettings(bytes, from, end)
    case PUSH_PROMISE:
      throw protocol('A client pushes nothing.')
    case PING:
      if (length !== 8) throw size()
      return
    case GOAWAY:
      if (length < 8) throw size()
      return
    case WINDOW_UPDATE:
      if (length !== 4) throw size()
      // Of a stream it is an error of that alone.
      if (stream === 0 && (bytes.readUInt32BE(from) & MAX_31_BITS) === 0) {
        throw protocol('A window grows by nothing.')
      }
  }
}

/** A stream cannot depend on itself (RFC 7540 5.3.1; clients of RFC 9113 send no priorities that count). */
export const checkDependency = (bytes: Buffer, at: number, stream: number): void => {
  if ((bytes.readUInt32BE(at) & MAX_31_BITS) === stream) {
    throw protocol('A stream depends on itself.')
  }
}
