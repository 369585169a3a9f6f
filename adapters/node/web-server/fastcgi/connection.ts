import { createConnection } from 'node:net'
import type { Socket } from 'node:net'
import { RecordDecoder } from './record-decoder.ts'
import { encodeBegin, encodeHeader, MAX_CONTENT_BYTES, ProtocolError, RECORD } from './records.ts'
import type { EndRequest, RecordSink } from './records.ts'

/** What one request hears of its connection. After `end` or `broken` nothing follows. */
export interface ConnectionEvents {
  stdout(piece: Buffer): void
  stderr(piece: Buffer): void
  end(outcome: EndRequest): void
  /** The connection ended before the request did. */
  broken(error: Error): void
}

const BEGIN = encodeBegin()
const END_OF_BODY = encodeHeader(RECORD.stdin, 0)

/** A connection to a FastCGI server: one request after another, never two at once. */
export class FastcgiConnection implements RecordSink {
  readonly #socket: Socket
  readonly #decoder = new RecordDecoder(this)
  #events: ConnectionEvents | null = null
  #bodyEnded = true
  #served = 0
  /** Called once when the connection is gone. */
  onClose: () => void = () => undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('end', () => this.#fail(new Error('PHP closed the connection')))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      this.#fail(new Error('PHP closed the connection'))
      this.onClose()
    })
  }

  /** Rejects with the system's error (`code`). */
  static connect(path: string): Promise<FastcgiConnection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new FastcgiConnection(socket))
      })
    })
  }

  /** Requests begun on it before the present one. */
  get served(): number {
    return this.#served
  }

  get alive(): boolean {
    return !this.#socket.destroyed && this.#socket.readable && this.#socket.writable
  }

  /** Whether another request may follow: the last one is over, on both sides, and nothing is left. */
  get reusable(): boolean {
    return this.alive && this.#events === null && this.#bodyEnded && this.#decoder.idle
  }

  /** Starts a request. `params` is a whole PARAMS stream. */
  begin(events: ConnectionEvents, params: Buffer, hasBody: boolean): void {
    this.#events = events
    this.#bodyEnded = !hasBody
    this.#socket.write(Buffer.concat(hasBody ? [BEGIN, params] : [BEGIN, params, END_OF_BODY]))
  }

  /** Sends a piece of the body; resolves when more may follow, rejects when the connection is gone. */
  async writeBody(chunk: Uint8Array): Promise<void> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let more = true
    this.#socket.cork()
    for (let from = 0; from < bytes.length; from += MAX_CONTENT_BYTES) {
      const piece = bytes.subarray(from, from + MAX_CONTENT_BYTES)
      this.#socket.write(encodeHeader(RECORD.stdin, piece.length))
      more = this.#socket.write(piece)
    }
    this.#socket.uncork()
    if (!more) await this.#drained()
  }

  endBody(): void {
    this.#bodyEnded = true
    if (this.alive) this.#socket.write(END_OF_BODY)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#events = null
    this.#socket.destroy()
  }

  stdout(piece: Buffer): void {
    this.#events?.stdout(piece)
  }

  stderr(piece: Buffer): void {
    this.#events?.stderr(piece)
  }

  end(outcome: EndRequest): void {
    const events = this.#events
    if (events === null) throw new ProtocolError('END_REQUEST without a request')
    this.#events = null
    this.#served += 1
    events.end(outcome)
  }

  #receive(chunk: Buffer): void {
    try {
      if (this.#events === null) throw new ProtocolError('PHP wrote without a request')
      this.#decoder.push(chunk)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #fail(error: Error): void {
    const events = this.#events
    this.#events = null
    this.#socket.destroy()
    events?.broken(error)
  }

  #drained(): Promise<void> {
    const socket = this.#socket
    return new Promise((resolve, reject) => {
      const settle = (gone: boolean): void => {
        socket.off('drain', onDrain)
        socket.off('close', onGone)
        if (gone) reject(new Error('PHP closed the connection'))
        else resolve()
      }
      const onDrain = (): void => settle(false)
      const onGone = (): void => settle(true)
      if (socket.destroyed) return onGone()
      socket.on('drain', onDrain)
      socket.on('close', onGone)
    })
  }
}
