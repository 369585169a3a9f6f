import { Socket } from 'node:net'
import { BackendConnection, connectToBackend } from '../wire/backend-connection.ts'
import { RecordDecoder } from './record-decoder.ts'
import { encodeBegin, encodeHeader, MAX_CONTENT_BYTES, ProtocolError, RECORD } from './records.ts'
import type { EndRequest, RecordSink } from './records.ts'

const BEGIN = encodeBegin()
const END_OF_BODY = encodeHeader(RECORD.stdin, 0)

/**
 * What a read brings, for all connections: it is copied before the next one, small
 * pieces into memory that several share. A buffer of this size for each read would
 * keep the garbage collector busy.
 */
const ARRIVED = new Uint8Array(64 * 1024)

/** A connection to a FastCGI server; a request is a whole PARAMS stream. */
export class FastcgiConnection extends BackendConnection implements RecordSink {
  readonly #decoder = new RecordDecoder(this)
  #bodyEnded = true

  /** Rejects with the system's error (`code`). */
  static async connect(path: string): Promise<FastcgiConnection> {
    let connection: FastcgiConnection | null = null
    const socket = new Socket({
      onread: {
        buffer: ARRIVED,
        callback: (size) => {
          const chunk = Buffer.allocUnsafe(size)
          chunk.set(ARRIVED.subarray(0, size))
          connection?.receive(chunk)
          return true
        },
      },
    })
    await connectToBackend(path, socket)
    // PHP says nothing before it is asked.
    return (connection = new FastcgiConnection(socket))
  }

  get reusable(): boolean {
    return this.alive && this.events === null && this.#bodyEnded && this.#decoder.idle
  }

  protected sendHead(params: Buffer, hasBody: boolean): void {
    this.#bodyEnded = !hasBody
    // The three leave together.
    const size = BEGIN.length + params.length + (hasBody ? 0 : END_OF_BODY.length)
    const bytes = Buffer.allocUnsafe(size)
    bytes.set(BEGIN)
    bytes.set(params, BEGIN.length)
    if (!hasBody) bytes.set(END_OF_BODY, size - END_OF_BODY.length)
    this.socket.write(bytes)
  }

  async writeBody(chunk: Uint8Array): Promise<void> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let more = true
    this.socket.cork()
    for (let from = 0; from < bytes.length; from += MAX_CONTENT_BYTES) {
      const piece = bytes.subarray(from, from + MAX_CONTENT_BYTES)
      this.socket.write(encodeHeader(RECORD.stdin, piece.length))
      more = this.socket.write(piece)
    }
    this.socket.uncork()
    if (!more) await this.drained()
  }

  endBody(): void {
    this.#bodyEnded = true
    if (this.alive) this.socket.write(END_OF_BODY)
  }

  stdout(piece: Buffer<ArrayBuffer>): void {
    this.events?.stdout(piece)
  }

  stderr(piece: Buffer): void {
    this.events?.stderr(piece)
  }

  end(outcome: EndRequest): void {
    this.finish(outcome)
  }

  protected decode(chunk: Buffer<ArrayBuffer>): void {
    if (this.events === null) throw new ProtocolError('PHP wrote without a request')
    this.#decoder.push(chunk)
  }
}
