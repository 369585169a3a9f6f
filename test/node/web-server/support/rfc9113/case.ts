import {
  DATA,
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  HEADERS,
  pseudo,
  RST_STREAM,
  SETTINGS,
  type Field,
  type FrameClient,
} from '../h2-frames.ts'

export const PRIORITY = 2
export const PUSH_PROMISE = 5
export const WINDOW_UPDATE = 8
export const ACK = 1
export const PADDED = 8
export const HAS_PRIORITY = 32

/** Error codes (RFC 9113 7). */
export const NO_ERROR = 0
export const PROTOCOL = 1
export const FLOW_CONTROL = 3
export const STREAM_CLOSED = 5
export const FRAME_SIZE = 6
export const REFUSED = 7
export const CANCEL = 8
export const COMPRESSION = 9
export const CALM = 11

/** What must come of it. After all but `connection` the connection serves on. */
export type Outcome =
  /** GOAWAY with one of the codes, and the connection ends. */
  | { kind: 'connection'; codes: readonly number[] }
  /** RST_STREAM with one of the codes. */
  | { kind: 'stream'; stream: number; codes: readonly number[] }
  /** RST_STREAM with PROTOCOL_ERROR, or an answer in words (RFC 9113 8.1.1). */
  | { kind: 'refused'; stream: number }
  /** The answer 200, with this body. */
  | { kind: 'served'; stream: number; body: string }
  /** Nothing. */
  | { kind: 'ignored' }

export type Step = Buffer | ((client: FrameClient) => Promise<unknown>)

/** One thing that a client sends, and what RFC 9113 says must come of it. */
export interface Rfc9113Case {
  /** Section, and its words. */
  rule: string
  steps: readonly Step[]
  outcome: Outcome
  /** What stands in place of preface and SETTINGS. */
  opening?: Buffer
}

export const connection = (...codes: number[]): Outcome => ({ kind: 'connection', codes })
export const stream = (id: number, ...codes: number[]): Outcome => ({
  kind: 'stream',
  stream: id,
  codes,
})
export const refused = (id = 1): Outcome => ({ kind: 'refused', stream: id })
export const served = (id = 1, body = 'x'): Outcome => ({ kind: 'served', stream: id, body })
export const ignored: Outcome = { kind: 'ignored' }

export const one = (rule: string, outcome: Outcome, ...steps: Step[]): Rfc9113Case => ({
  rule,
  outcome,
  steps,
})

export const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
/** A whole GET. `/page/1` is answered beside the session, `/cold/1` by it, `/wait` not at all. */
export const get = (id = 1, path = '/cold/1', more: readonly Field[] = []): Buffer =>
  frame(HEADERS, END_STREAM | END_HEADERS, id, fields([...pseudo('a.test', path), ...more]))
/** The head of a POST that is answered with its body. */
export const post = (id = 1, more: readonly Field[] = [], path = '/echo'): Buffer =>
  frame(HEADERS, END_HEADERS, id, fields([...pseudo('a.test', path, 'POST'), ...more]))
/** A GET whose list is exactly this. */
export const list = (all: readonly Field[], id = 1): Buffer =>
  frame(HEADERS, END_STREAM | END_HEADERS, id, fields(all))
/** A GET with a header block that is written byte by byte. */
export const block = (bytes: Uint8Array, id = 1): Buffer =>
  frame(HEADERS, END_STREAM | END_HEADERS, id, bytes)
export const data = (id: number, text: string, flags = END_STREAM): Buffer =>
  frame(DATA, flags, id, Buffer.from(text))
export const reset = (id: number, code = CANCEL): Buffer => frame(RST_STREAM, 0, id, number(code))
export const grow = (id: number, bytes: number): Buffer =>
  frame(WINDOW_UPDATE, 0, id, number(bytes))
export const setting = (...pairs: (readonly [id: number, value: number])[]): Buffer =>
  frame(
    SETTINGS,
    0,
    0,
    Buffer.concat(pairs.flatMap(([id, value]) => [Buffer.from([0, id]), number(value)])),
  )

/** Waits for the end of a stream's answer. */
export const ended =
  (id: number): Step =>
  (client) =>
    client.end(id)
