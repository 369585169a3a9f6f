import { JoinedPieces } from '../wire/joined-pieces.ts'
import { HEADER_BYTES, ProtocolError, RECORD, REQUEST_ID } from './records.ts'
import type { RecordSink } from './records.ts'

const END_BYTES = 8

/**
 * Takes the byte stream of one connection apart, whatever its pieces. Content is
 * passed on as it comes, so nothing is gathered but headers and the eight bytes
 * of END_REQUEST: a hostile peer cannot make it hold memory. Standard output that
 * came in one chunk is passed on in one piece: a script may make a record of each
 * byte. `push` throws `ProtocolError`; the connection is of no use after that.
 */
export class RecordDecoder {
  readonly #sink: RecordSink
  readonly #header = Buffer.alloc(HEADER_BYTES)
  readonly #end = Buffer.alloc(END_BYTES)
  #headerFilled = 0
  #endFilled = 0
  #type = 0
  #content = 0
  #padding = 0
  readonly #output = new JoinedPieces()

  constructor(sink: RecordSink) {
    this.#sink = sink
  }

  /** Whether it stands between two records. */
  get idle(): boolean {
    return this.#headerFilled === 0 && this.#content === 0 && this.#padding === 0
  }

  /** The chunk belongs to the decoder from then on. */
  push(chunk: Buffer<ArrayBuffer>): void {
    try {
      this.#takeApart(chunk)
    } finally {
      // What came before something wrong has come all the same.
      this.#tellOutput()
    }
  }

  #takeApart(chunk: Buffer<ArrayBuffer>): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#content > 0) at += this.#takeContent(chunk, at)
      else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, chunk.length - at)
        this.#padding -= skipped
        at += skipped
      } else at += this.#takeHeader(chunk, at)
    }
  }

  #tellOutput(): void {
    const piece = this.#output.take()
    if (piece !== null) this.#sink.stdout(piece)
  }

  #takeHeader(chunk: Buffer, at: number): number {
    const count = Math.min(HEADER_BYTES - this.#headerFilled, chunk.length - at)
    chunk.copy(this.#header, this.#headerFilled, at, at + count)
    this.#headerFilled += count
    if (this.#headerFilled < HEADER_BYTES) return count
    this.#headerFilled = 0
    const header = this.#header
    this.#type = header[1] as number
    this.#content = header.readUInt16BE(4)
    this.#padding = header[6] as number
    if (header[0] !== 1) throw new ProtocolError(`FastCGI version ${header[0]} is not 1`)
    if (header.readUInt16BE(2) !== REQUEST_ID) throw new ProtocolError('a record of no request')
    switch (this.#type) {
      case RECORD.stdout:
      case RECORD.stderr:
        break
      case RECORD.endRequest:
        if (this.#content !== END_BYTES) throw new ProtocolError('END_REQUEST of the wrong size')
        this.#endFilled = 0
        break
      default:
        throw new ProtocolError(`record type ${this.#type} was not expected`)
    }
    return count
  }

  #takeContent(chunk: Buffer<ArrayBuffer>, at: number): number {
    const count = Math.min(this.#content, chunk.length - at)
    this.#content -= count
    if (this.#type === RECORD.stdout) this.#output.add(chunk, at, count)
    else if (this.#type === RECORD.stderr) {
      // A copy: output that follows in the same chunk may take its place.
      this.#sink.stderr(Buffer.from(chunk.subarray(at, at + count)))
    } else {
      chunk.copy(this.#end, this.#endFilled, at, at + count)
      this.#endFilled += count
      if (this.#endFilled === END_BYTES) {
        this.#tellOutput()
        const appStatus = this.#end.readUInt32BE(0)
        this.#sink.end({ appStatus, protocolStatus: this.#end[4] as number })
      }
    }
    return count
  }
}
