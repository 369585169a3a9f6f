import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { FieldAnswer } from '../http1/hot-answers.ts'
import { BlockMemory } from './block-memory.ts'
import { BlockReader, isBlockPart, type HeaderBlock } from './block-reader.ts'
import { ClientSettings } from './client-settings.ts'
import { ClientStreams } from './client-streams.ts'
import {
  CANCEL,
  FLOW_CONTROL_ERROR,
  FrameError,
  INTERNAL_ERROR,
  PROTOCOL_ERROR,
} from './frame-error.ts'
import { checkFrame } from './frame-rules.ts'
import { FrameReader } from './frame-reader.ts'
import {
  ACK,
  CONTINUATION,
  DATA,
  END_STREAM,
  FRAME_HEAD_BYTES,
  goAway,
  HEADERS,
  headerFrames,
  MAX_31_BITS,
  PADDED,
  PING,
  PRIORITY,
  resetFrame,
  RST_STREAM,
  SETTINGS,
  streamAt,
  WINDOW_UPDATE,
  windowUpdate,
} from './frames.ts'
import { encodeFields } from './hpack-encoder.ts'
import { OwnAnswers } from './own-answers.ts'
import { giveBack } from './copy-rooms.ts'
import { SendWindows } from './send-windows.ts'
import { createSessionDuplex } from './session-duplex.ts'
import { SessionOutput } from './session-output.ts'
import { SharedWindow } from './shared-window.ts'

/** Longest header block as sent. */
const MIN_BLOCK_BYTES = 65_536
/** More fields than the session takes: it refuses the stream that has more than allowed. */
const TOO_MANY = (count: number): string[] =>
  Array.from({ length: count + 1 }, () => ['x', 'y']).flat()
/** The session would leave a malformed field out; this it answers with an error of the stream. */
const MALFORMED = [':malformed', '']

/** What a request's head says of the length of its content. */
const contentBytes = (fields: readonly string[]): number => {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1] as string
    // What is no number is for the session to refuse.
    if (fields[at] === 'content-length' && /^\d{1,15}$/.test(value)) return Number(value)
  }
  return Number.POSITIVE_INFINITY
}

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
  /** The client sent what costs it next to nothing and means nothing. */
  onControl(): void
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
  readonly #output = new SessionOutput(this.#settings, this.#window, () => this.#own.last, {
    onReset: (stream) => {
      this.#streams.weReset(stream)
      this.#sending.forget(stream)
    },
    onData: (...sent) => this.#sending.sent(...sent),
  })
  readonly #reader = new FrameReader((bytes, start, end) => this.#onFrame(bytes, start, end))
  readonly #blocks: BlockReader
  readonly #decoder: BlockMemory
  readonly #own: OwnAnswers
  readonly #streams = new ClientStreams()
  /** Highest stream that was passed to the session. */
  #passed = 0
  readonly #sending = new SendWindows()
  /** For the client, of the chunk being read. */
  #resets: Buffer[] = []
  /** Whether the client's first SETTINGS came. */
  #begun = false
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
    if (this.#resets.length > 0) this.#sendResets()
    if (error !== undefined) this.#break(error)
    else if (!more) this.#socket.pause()
  }

  #sendResets(): void {
    // Within a header block nothing may come between; the next chunk's turn is soon enough.
    if (this.#output.isInBlock || this.#output.saidGoodbye || this.#broken) return
    const resets = this.#resets
    this.#resets = []
    if (this.#socket.writable) this.#socket.write(Buffer.concat(resets))
  }

  #break(thrown: unknown): void {
    const isTheirs = thrown instanceof FrameError
    const error = isTheirs ? thrown : new FrameError(INTERNAL_ERROR, String(thrown))
    this.goodbye(error.code)
    this.#options.onBroken(error)
  }

  /**
   * Says GOAWAY with an error's code, unless the session did: what it still has to write
   * is lost when it is destroyed. Nothing is sent or read afterwards.
   */
  goodbye(code: number): void {
    if (this.#broken) return
    this.#broken = true
    this.#own.flush()
    const { saidGoodbye, isInBlock } = this.#output
    if (saidGoodbye || isInBlock || !this.#socket.writable) return
    this.#socket.write(goAway(this.#streams.highest, code))
  }

  #onFrame(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start + 3] as number
    const flags = bytes[start + 4] as number
    const stream = streamAt(bytes, start)
    if (!this.#begun) {
      if (type !== SETTINGS || (flags & ACK) !== 0) {
        throw new FrameError(PROTOCOL_ERROR, 'The first frame is no SETTINGS.')
      }
      this.#begun = true
    }
    if (
      isBlockPart(bytes, start) ? this.#blocks.isOpen === (type === HEADERS) : this.#blocks.isOpen
    ) {
      throw new FrameError(PROTOCOL_ERROR, 'A header block was not continued.')
    }
    checkFrame(bytes, start, end)
    switch (type) {
      case HEADERS:
      case CONTINUATION: {
        const block = this.#blocks.take(bytes, start, end)
        if (block !== null) this.#onBlock(block)
        return
      }
      case DATA:
        if (!this.#takeData(bytes, start, end)) {
          return this.#refuse(stream, PROTOCOL_ERROR)
        }
        break
      case PRIORITY:
        // It means nothing any more (RFC 9113 5.3.2).
        return
      case PING:
        // We never send one, so an answer to it answers nothing.
        if ((flags & ACK) !== 0) return this.#options.onControl()
        break
      case RST_STREAM:
      case WINDOW_UPDATE:
        if (stream !== 0) this.#streams.control(stream, type === RST_STREAM)
        // The session never heard of it.
        if (stream > this.#passed) return type === RST_STREAM ? this.#options.onReset() : undefined
        if (type === RST_STREAM) this.#sending.forget(stream)
        else if (stream !== 0 && !this.#grow(bytes, start, stream)) return
        break
      case SETTINGS:
        if ((flags & ACK) === 0) this.#settings.take(bytes.subarray(start + FRAME_HEAD_BYTES, end))
    }
    if (type === WINDOW_UPDATE && stream === 0) {
      this.#window.add(bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & MAX_31_BITS)
      return this.#grant()
    }
    this.#pass(bytes, start, end)
  }

  /** False: the stream got more content than its head announced. */
  #takeData(bytes: Buffer, start: number, end: number): boolean {
    const flags = bytes[start + 4] as number
    const from = start + FRAME_HEAD_BYTES
    const padding = (flags & PADDED) === 0 ? 0 : 1 + (bytes[from] as number)
    const stream = streamAt(bytes, start)
    return this.#streams.data(stream, end - from - padding, (flags & END_STREAM) !== 0)
  }

  /** Whether a stream's window may grow as the frame says; else it was reset. */
  #grow(bytes: Buffer, start: number, stream: number): boolean {
    const increment = bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & MAX_31_BITS
    const initialBytes = this.#settings.initialWindowBytes
    const fits = this.#sending.grow(stream, increment, initialBytes)
    if (increment > 0 && fits) return true
    this.#refuse(stream, increment === 0 ? PROTOCOL_ERROR : FLOW_CONTROL_ERROR)
    return false
  }

  /** An error of one stream that the session would take for one of the connection: to it the client resets the stream. */
  #refuse(stream: number, code: number): void {
    this.#streams.weReset(stream)
    this.#sending.forget(stream)
    this.#through.push(resetFrame(stream, CANCEL))
    this.#resets.push(resetFrame(stream, code))
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

  #onBlock(block: HeaderBlock): void {
    const { stream, endStream } = block
    const part = this.#streams.headers(stream, endStream)
    const fields = this.#decoder.decode(block.bytes)
    const { isMalformed } = this.#decoder
    if (part === 'drop') return
    if (part === 'begin') {
      const mayBeReady = endStream && !isMalformed && fields !== null
      if (mayBeReady && this.#answer(stream, fields)) return
      this.#passed = stream
      if (!endStream && fields !== null) this.#streams.announce(stream, contentBytes(fields))
    }
    const list = isMalformed ? MALFORMED : (fields ?? TOO_MANY(this.#options.maxFields))
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
    if (this.#broken) return done()
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
