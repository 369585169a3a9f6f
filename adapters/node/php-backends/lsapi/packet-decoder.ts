import { JoinedPieces } from '../wire/joined-pieces.ts'
import { ProtocolError } from '../fastcgi/records.ts'
import { PACKET, PACKET_HEAD_BYTES } from './packets.ts'

/** Receives what lsphp says; slices are never overwritten. */
export interface PacketSink {
  /** The whole content of a response head. */
  head(content: Buffer<ArrayBuffer>): void
  /** All of the body that came in one chunk up to here; no packet. */
  body(piece: Buffer<ArrayBuffer>): void
  stderr(piece: Buffer): void
  end(): void
  /** lsphp gives the connection up. */
  closed(): void
  /** lsphp cannot serve the request. */
  failed(): void
}

const MAX_HEAD_BYTES = 256 * 1024
/** A new child tells its pid in a packet of standard error: these four bytes and the number. */
const PID_NOTICE = Buffer.from('\0PID', 'latin1')
const PID_NOTICE_BYTES = 8
const EMPTY = new Set<number>([
  PACKET.responseEnd,
  PACKET.requestReceived,
  PACKET.connectionClose,
  PACKET.internalError,
])

/**
 * Takes the byte stream of one connection apart, whatever its pieces. Only
 * packet heads, response heads (up to 256 KiB) and eight-byte notices are
 * gathered. What came of a body in one chunk is passed on in one piece: a script
 * may make a packet of each byte. `push` throws `ProtocolError`; the connection is
 * of no use then.
 */
export class PacketDecoder {
  readonly #sink: PacketSink
  readonly #head = Buffer.alloc(PACKET_HEAD_BYTES)
  #headFilled = 0
  #kind = 0
  /** Bytes of content that are still to come. */
  #left = 0
  /** Where content is gathered; null when it is passed on as it comes. */
  #gathered: Buffer<ArrayBuffer> | null = null
  readonly #body = new JoinedPieces()

  constructor(sink: PacketSink) {
    this.#sink = sink
  }

  /** The chunk belongs to the decoder from then on. */
  push(chunk: Buffer<ArrayBuffer>): void {
    try {
      let at = 0
      while (at < chunk.length) {
        at += this.#left > 0 ? this.#takeContent(chunk, at) : this.#takeHead(chunk, at)
      }
    } finally {
      // What came before something wrong has come all the same.
      this.#tellBody()
    }
  }

  #tellBody(): void {
    const piece = this.#body.take()
    if (piece !== null) this.#sink.body(piece)
  }

  #takeHead(chunk: Buffer<ArrayBuffer>, at: number): number {
    const count = Math.min(PACKET_HEAD_BYTES - this.#headFilled, chunk.length - at)
    chunk.copy(this.#head, this.#headFilled, at, at + count)
    this.#headFilled += count
    if (this.#headFilled === PACKET_HEAD_BYTES) {
      this.#headFilled = 0
      this.#begin()
    }
    return count
  }

  #begin(): void {
    if (this.#head.toString('latin1', 0, 2) !== 'LS') throw new ProtocolError('this is not LSAPI')
    const kind = this.#head[2] ?? 0
    const size = this.#head.readInt32LE(4) - PACKET_HEAD_BYTES
    if (size < 0) throw new ProtocolError(`LSAPI packet with ${size} bytes`)
    this.#kind = kind
    this.#left = size
    this.#gathered = null
    if (EMPTY.has(kind)) {
      if (size !== 0) throw new ProtocolError(`LSAPI packet ${kind} with content`)
      this.#signal()
    } else if (kind === PACKET.responseHead) {
      if (size === 0 || size > MAX_HEAD_BYTES)
        throw new ProtocolError(`LSAPI response head of ${size} bytes`)
      this.#gathered = Buffer.alloc(size)
    } else if (kind === PACKET.stderr) {
      if (size === PID_NOTICE_BYTES) this.#gathered = Buffer.alloc(size)
    } else if (kind !== PACKET.responseBody) {
      throw new ProtocolError(`LSAPI packet ${kind} was not expected`)
    }
  }

  #signal(): void {
    this.#tellBody()
    if (this.#kind === PACKET.responseEnd) this.#sink.end()
    else if (this.#kind === PACKET.connectionClose) this.#sink.closed()
    else if (this.#kind === PACKET.internalError) this.#sink.failed()
  }

  #takeContent(chunk: Buffer<ArrayBuffer>, at: number): number {
    const count = Math.min(this.#left, chunk.length - at)
    const gathered = this.#gathered
    if (gathered === null) {
      this.#left -= count
      if (this.#kind === PACKET.responseBody) this.#body.add(chunk, at, count)
      // A copy: a body that follows in the same chunk may take its place.
      else this.#sink.stderr(Buffer.from(chunk.subarray(at, at + count)))
      return count
    }
    chunk.copy(gathered, gathered.length - this.#left, at, at + count)
    this.#left -= count
    if (this.#left > 0) return count
    // What comes before a head is not a body's; the connection tells so.
    this.#tellBody()
    if (this.#kind === PACKET.responseHead) this.#sink.head(gathered)
    else if (!gathered.subarray(0, PID_NOTICE.length).equals(PID_NOTICE))
      this.#sink.stderr(gathered)
    return count
  }
}
