import type { Socket } from 'node:net'
import { BackendConnection, connectToBackend } from '../wire/backend-connection.ts'
import { ProtocolError } from '../fastcgi/records.ts'
import { LastWordsSocket } from './last-words-socket.ts'
import { PacketDecoder } from './packet-decoder.ts'
import type { PacketSink } from './packet-decoder.ts'
import { cgiHeadOf } from './response-head.ts'

/**
 * A connection to lsphp, for one request. It is never kept: a body has no frame,
 * so what a script leaves of it unread lsphp would take for the next request.
 */
export class LsapiConnection extends BackendConnection implements PacketSink {
  readonly #decoder = new PacketDecoder(this)
  #headed = false

  constructor(socket: Socket) {
    super(socket)
    socket.on('data', (chunk: Buffer<ArrayBuffer>) => this.receive(chunk))
  }

  /** Rejects with the system's error (`code`). */
  static async connect(path: string): Promise<LsapiConnection> {
    return new LsapiConnection(await connectToBackend(path, new LastWordsSocket()))
  }

  get reusable(): boolean {
    return false
  }

  protected sendHead(request: Buffer): void {
    this.socket.write(request)
  }

  async writeBody(chunk: Uint8Array): Promise<void> {
    if (!this.socket.write(chunk)) await this.drained()
  }

  /** The request's head told the body's length. */
  endBody(): void {}

  head(content: Buffer<ArrayBuffer>): void {
    if (this.#headed) throw new ProtocolError('lsphp sent a second response head')
    this.#headed = true
    this.events?.stdout(cgiHeadOf(content))
  }

  body(piece: Buffer<ArrayBuffer>): void {
    if (!this.#headed) throw new ProtocolError('lsphp sent a body without a head')
    this.events?.stdout(piece)
  }

  stderr(piece: Buffer): void {
    this.events?.stderr(piece)
  }

  end(): void {
    this.finish({ appStatus: 0, protocolStatus: 0 })
  }

  closed(): void {
    this.fail(new Error('lsphp closes the connection'))
  }

  failed(): void {
    this.fail(new Error('lsphp reports an internal error'))
  }

  /** A new child announces itself before it has heard of a request. */
  protected decode(chunk: Buffer<ArrayBuffer>): void {
    this.#decoder.push(chunk)
  }
}
