/** FastCGI 1.0 record types (specification, section 8). */
export const RECORD = {
  beginRequest: 1,
  abortRequest: 2,
  endRequest: 3,
  params: 4,
  stdin: 5,
  stdout: 6,
  stderr: 7,
} as const

export const HEADER_BYTES = 8
export const MAX_CONTENT_BYTES = 0xffff
/** The only request id in use: PHP takes one request per connection at a time. */
export const REQUEST_ID = 1
const VERSION = 1
const ROLE_RESPONDER = 1
const FLAG_KEEP_CONN = 1

/** Outcome of a request; both are 0 when all went well. */
export interface EndRequest {
  appStatus: number
  protocolStatus: number
}

/** Receives decoded records; slices are only valid during the call unless kept (they are never overwritten). */
export interface RecordSink {
  /** All standard output that came in one chunk up to here; no record. */
  stdout(piece: Buffer<ArrayBuffer>): void
  stderr(piece: Buffer): void
  end(outcome: EndRequest): void
}

/** The other side does not speak FastCGI as it should. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** Writes a record header into `target` at `offset`. */
export const writeHeader = (target: Buffer, offset: number, type: number, bytes: number): void => {
  target[offset] = VERSION
  target[offset + 1] = type
  target.writeUInt16BE(REQUEST_ID, offset + 2)
  target.writeUInt16BE(bytes, offset + 4)
  target[offset + 6] = 0
  target[offset + 7] = 0
}

/** A record header alone. */
export const encodeHeader = (type: number, bytes: number): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES)
  writeHeader(header, 0, type, bytes)
  return header
}

/** BEGIN_REQUEST for a responder that keeps the connection. */
export const encodeBegin = (): Buffer => {
  const record = Buffer.alloc(HEADER_BYTES + 8)
  writeHeader(record, 0, RECORD.beginRequest, 8)
  record.writeUInt16BE(ROLE_RESPONDER, HEADER_BYTES)
  record[HEADER_BYTES + 2] = FLAG_KEEP_CONN
  return record
}

/** A whole stream (params) as records, with the empty one that ends it. */
export const encodeStream = (type: number, content: Buffer): Buffer<ArrayBuffer> => {
  const parts: Buffer[] = []
  for (let from = 0; from < content.length; from += MAX_CONTENT_BYTES) {
    const piece = content.subarray(from, from + MAX_CONTENT_BYTES)
    parts.push(encodeHeader(type, piece.length), piece)
  }
  parts.push(encodeHeader(type, 0))
  return Buffer.concat(parts)
}
