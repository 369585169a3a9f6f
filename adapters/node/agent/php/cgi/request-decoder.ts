import {
  HEADER_BYTES,
  ProtocolError,
  RECORD,
  REQUEST_ID,
} from '../../../php-backends/fastcgi/records.ts'

/** Receives what a FastCGI client says on one connection. */
export interface RequestSink {
  /** `keep`: the connection is to stay open after the request. */
  begin(keep: boolean): void
  /** The whole PARAMS stream. */
  params(content: Buffer): void
  /** A piece of the request body. */
  stdin(piece: Buffer): void
  stdinEnd(): void
  abort(): void
  /** FCGI_GET_VALUES: somebody asks whether we live. */
  getValues(): void
}

/** Longer than any head that the web server accepts. */
const MAX_PARAMS_BYTES = 2 ** 20
const GET_VALUES = 9
const ROLE_RESPONDER = 1

/**
 * The server's side of FastCGI 1.0, for one request at a time. Bodies are passed
 * on as they come; only short records and PARAMS are gathered. `push` throws
 * `ProtocolError`; the connection is of no use after that.
 */
export class RequestDecoder {
  readonly #sink: RequestSink
  #held: Buffer = Buffer.alloc(0)
  #params: Buffer[] = []
  #paramsBytes = 0
  /** Bytes of the present body record that are still to come, and of its padding. */
  #body = 0
  #padding = 0

  constructor(sink: RequestSink) {
    this.#sink = sink
  }

  push(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = Buffer.alloc(0)
    while (bytes.length > 0) {
      const used = this.#take(bytes)
      if (used === 0) break
      bytes = bytes.subarray(used)
    }
    if (bytes.length > 0) this.#held = Buffer.from(bytes)
  }

  /** Bytes that were used; 0 when more are needed. */
  #take(bytes: Buffer): number {
    if (this.#body > 0) {
      const piece = bytes.subarray(0, this.#body)
      this.#body -= piece.length
      this.#sink.stdin(piece)
      return piece.length
    }
    if (this.#padding > 0) {
      const skipped = Math.min(this.#padding, bytes.length)
      this.#padding -= skipped
      return skipped
    }
    if (bytes.length < HEADER_BYTES) return 0
    const type = bytes[1]
    const size = bytes.readUInt16BE(4)
    const padding = bytes[6] ?? 0
    if (bytes[0] !== 1) throw new ProtocolError('the version is not 1')
    if (bytes.readUInt16BE(2) !== (type === GET_VALUES ? 0 : REQUEST_ID))
      throw new ProtocolError('a record of no request')
    if (type === RECORD.stdin) {
      if (size === 0) this.#sink.stdinEnd()
      this.#body = size
      this.#padding = padding
      return HEADER_BYTES
    }
    const whole = HEADER_BYTES + size + padding
    if (bytes.length < whole) return 0
    this.#record(type, bytes.subarray(HEADER_BYTES, HEADER_BYTES + size))
    return whole
  }

  #record(type: number | undefined, content: Buffer): void {
    switch (type) {
      case RECORD.beginRequest:
        if (content.length !== 8 || content.readUInt16BE(0) !== ROLE_RESPONDER)
          throw new ProtocolError('only responders are served')
        return this.#sink.begin(((content[2] ?? 0) & 1) === 1)
      case RECORD.params:
        return this.#takeParams(content)
      case RECORD.abortRequest:
        return this.#sink.abort()
      case GET_VALUES:
        return this.#sink.getValues()
      default:
        throw new ProtocolError(`record type ${type} was not expected`)
    }
  }

  #takeParams(content: Buffer): void {
    if (content.length === 0) {
      const whole = Buffer.concat(this.#params)
      this.#params = []
      this.#paramsBytes = 0
      return this.#sink.params(whole)
    }
    this.#paramsBytes += content.length
    if (this.#paramsBytes > MAX_PARAMS_BYTES) throw new ProtocolError('PARAMS are too long')
    this.#params.push(Buffer.from(content))
  }
}
