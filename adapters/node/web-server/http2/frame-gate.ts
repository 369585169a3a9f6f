import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { FieldAnswer } from '../http1/hot-answers.ts'
import { BlockMemory } from './block-memory.ts'
import { BlockReader, isBlockPart, type HeaderBlock } from './block-reader.ts'
import { ClientSettings } from './client-settings.ts'
import {
  FRAME_SIZE_ERROR,
  FrameError,
  INTERNAL_ERROR,
  PROTOCOL_ERROR,
  STREAM_CLOSED,
} from './frame-error.ts'
import { FrameReader } from './frame-reader.ts'
import {
  ACK,
  DATA,
  FRAME_HEAD_BYTES,
  headerFrames,
  MAX_31_BITS,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  streamAt,
  windowUpdate,
  WINDOW_UPDATE,
} from './frames.ts'
import { encodeFields } from './hpack-encoder.ts'
import { OwnAnswers } from './own-answers.ts'
import { giveBack } from './copy-rooms.ts'
import { createSessionDuplex } from './session-duplex.ts'
import { SessionOutput } from './session-output.ts'
import { SharedWindow } from './shared-window.ts'

/** Longest header block as sent. */
const MIN_BLOCK_BYTES = 65_536
/** More fields than the session takes: it refuses the stream that has more than allowed. */
const TOO_MANY = (count: number): string[] =>
  Array.from({ length: count + 1 }, () => ['x', 'y']).flat()

export interface GateOptions {
  /** Fields of one request. */
  maxFields: number
  /** Bytes of one header list (RFC 9113 6.5.2). */
  maxListBytes: number
  /**
   * The ready answer to a request without a body, its own body no longer than
   * `roomBytes`; null: the session serves it. The same list comes as the same array.
   */
  answer(stream: number, fields: readonly string[], roomBytes: number): FieldAnswer | null
  /** The client resets a stream that was answered here. */
  onReset(): void
  /** The client broke the protocol: the connection must end with the error's code. */
  onBroken(error: FrameError): void
}

/**
 * Stands between a client and Node's HTTP/2 session. Requests for which there is
 * a ready answer that may be sent whole, now, are answered here, with frames built
 * beforehand; the session never hears of them. Everything else reaches it as the client sent
 * it, header blocks written anew, since the state of their compression is kept here.
 */
export class FrameGate {
  /** The session's side. */
  readonly duplex: Duplex
  readonly #socket: TLSSocket
  readonly #options: GateOptions
  readonly #settings = new ClientSettings()
  readonly #window = new SharedWindow()
  readonly #output = new SessionOutput(this.#settings, this.#window, () => this.#own.last)
  readonly #reader = new FrameReader((bytes, start, end) => this.#onFrame(bytes, start, end))
  readonly #blocks: BlockReader
  readonly #decoder: BlockMemory
  readonly #own: OwnAnswers
  /** Highest stream that was seen, and that was passed to the session. */
  #seen = 0
  #passed = 0
  /** For the session, of the chunk being read. */
  #through: Buffer[] = []
  #broken = false

  constructor(socket: TLSSocket, options: GateOptions) {
    this.#socket = socket
    this.#options = options
    this.#blocks = new BlockReader(Math.max(MIN_BLOCK_BYTES, options.maxListBytes))
    this.#decoder = new BlockMemory(options)
    this.#own = new OwnAnswers(socket, this.#settings, this.#window)
    this.duplex = createSessionDuplex({
      resume: () => void socket.resume(),
      send: (chunks, done) => this.#send(chunks, done),
      end: () => {
        this.#own.flush()
        socket.end()
      },
      destroy: () => {
        this.#broken = true
        socket.destroySoon()
      },
    })
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.on('close', () => this.duplex.destroy())
  }

  #onData(chunk: Buffer): void {
    if (this.#broken) return
    let preface: Buffer | null = null
    let error: unknown
    try {
      preface = this.#reader.read(chunk)
    } catch (thrown) {
      error = thrown
    }
    this.#own.flush()
    const through = this.#through
    this.#through = []
    if (preface !== null) through.unshift(preface)
    let more = true
    for (const bytes of through) more = this.duplex.push(bytes)
    if (error !== undefined) this.#break(error)
    else if (!more) this.#socket.pause()
  }

  #break(error: unknown): void {
    this.#broken = true
    const isTheirs = error instanceof FrameError
    this.#options.onBroken(isTheirs ? error : new FrameError(INTERNAL_ERROR, String(error)))
  }

  #onFrame(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start + 3] as number
    const stream = streamAt(bytes, start)
    if (isBlockPart(bytes, start) ? this.#blocks.isOpen === (type === 1) : this.#blocks.isOpen) {
      throw new FrameError(PROTOCOL_ERROR, 'A header block was not continued.')
    }
    if (isBlockPart(bytes, start)) {
      const block = this.#blocks.take(bytes, start, end)
      if (block !== null) this.#onBlock(block)
      return
    }
    const size = end - start - FRAME_HEAD_BYTES
    if (stream > this.#passed && stream <= this.#seen) return this.#onClosed(type, size)
    if (type === SETTINGS && ((bytes[start + 4] as number) & ACK) === 0) {
      this.#settings.take(bytes.subarray(start + FRAME_HEAD_BYTES, end))
    }
    if (type === WINDOW_UPDATE && stream === 0 && size === 4) {
      const increment = bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & MAX_31_BITS
      if (increment > 0) {
        this.#window.add(increment)
        return this.#grant()
      }
    }
    this.#pass(bytes, start, end)
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    const last = this.#through.at(-1)
    const follows =
      last?.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset + start
    if (last === undefined || !follows) return void this.#through.push(bytes.subarray(start, end))
    const from = start - last.length
    if (from < 0) return void this.#through.push(bytes.subarray(start, end))
    this.#through[this.#through.length - 1] = bytes.subarray(from, end)
  }

  /** A frame of a stream that was answered here, and so is closed. */
  #onClosed(type: number, size: number): void {
    if (type === DATA) throw new FrameError(STREAM_CLOSED, 'The stream has ended.')
    const expected = type === PRIORITY ? 5 : 4
    if (type !== PRIORITY && type !== RST_STREAM && type !== WINDOW_UPDATE) return
    if (size !== expected) throw new FrameError(FRAME_SIZE_ERROR, 'A frame has a wrong length.')
    if (type === RST_STREAM) this.#options.onReset()
  }

  #onBlock(block: HeaderBlock): void {
    const { stream, endStream } = block
    if (stream % 2 === 0) throw new FrameError(PROTOCOL_ERROR, 'A client’s streams are odd.')
    if (stream > this.#passed && stream <= this.#seen) {
      throw new FrameError(STREAM_CLOSED, 'The stream has ended.')
    }
    const fields = this.#decoder.decode(block.bytes)
    if (stream > this.#seen) {
      this.#seen = stream
      if (endStream && fields !== null && this.#answer(stream, fields)) return
      this.#passed = stream
    }
    const list = fields ?? TOO_MANY(this.#options.maxFields)
    this.#through.push(headerFrames(stream, encodeFields(list), endStream))
  }

  #answer(stream: number, fields: string[]): boolean {
    const { isInBlock, saidGoodbye } = this.#output
    const roomBytes = this.#own.roomBytes
    if (isInBlock || saidGoodbye || roomBytes === null) return false
    const answer = this.#options.answer(stream, fields, roomBytes)
    if (answer === null) return false
    this.#own.add(stream, answer)
    return true
  }

  /** Sends what the session sends; `done` when the client's line has taken it. */
  #send(chunks: Buffer[], done: (error?: Error | null) => void): void {
    this.#own.flush()
    const bytes = this.#output.take(chunks)
    if (bytes === null) return done()
    this.#socket.write(bytes, (error) => {
      giveBack(bytes)
      if (!this.#broken) {
        const granted = this.#window.grant()
        if (granted > 0) this.duplex.push(windowUpdate(granted))
      }
      done(error)
    })
  }

  #grant(): void {
    const bytes = this.#window.grant()
    if (bytes > 0) this.#through.push(windowUpdate(bytes))
  }
}
