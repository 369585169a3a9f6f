import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { GateOptions } from './gate-options.ts'
import { BlockMemory } from '../hpack/block-memory.ts'
import { BlockReader, isBlockPart, type HeaderBlock } from '../hpack/block-reader.ts'
import { ClientSettings } from '../session/client-settings.ts'
import { contentBytes } from './content-bytes.ts'
import { CANCEL, FrameError, INTERNAL_ERROR, PROTOCOL_ERROR } from './frame-error.ts'
import { checkFrame } from './frame-rules.ts'
import { FrameReader } from './frame-reader.ts'
import {
  ACK,
  CONTINUATION,
  DATA,
  FRAME_HEAD_BYTES,
  goAway,
  HEADERS,
  headerFrames,
  MAX_31_BITS,
  PING,
  PRIORITY,
  resetFrame,
  RST_STREAM,
  SETTINGS,
  streamAt,
  WINDOW_UPDATE,
  windowUpdate,
} from './frames.ts'
import { encodeFields } from '../hpack/encoder.ts'
import { OwnResponses } from '../fast/own-responses.ts'
import { giveBack } from './scratch-buffers.ts'
import { SessionInput } from '../session/input.ts'
import { StreamBounds } from '../streams/stream-bounds.ts'
import { createSessionDuplex } from '../session/duplex.ts'
import { SessionOutput } from '../session/output.ts'
import { SharedWindow } from '../session/shared-window.ts'

/** Longest header block as sent. */
const MIN_BLOCK_BYTES = 65_536
/** More fields than the session takes: it refuses the stream that has more than allowed. */
const TOO_MANY = (count: number): string[] =>
  Array.from({ length: count + 1 }, () => ['x', 'y']).flat()
/** The session would leave a malformed field out; this it answers with an error of the stream. */
const MALFORMED = [':malformed', '']

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
    onReset: (stream) => this.#bounds.weReset(stream),
    onData: (...sent) => this.#bounds.sent(...sent),
  })
  readonly #reader = new FrameReader((bytes, start, end) => this.#onFrame(bytes, start, end))
  readonly #blocks: BlockReader
  readonly #decoder: BlockMemory
  readonly #own: OwnResponses
  readonly #bounds = new StreamBounds(this.#settings)
  readonly #streams = this.#bounds.streams
  /** Highest stream that was passed to the session. */
  #passed = 0
  /** For the client, of the chunk being read. */
  #resets: Buffer[] = []
  /** Whether the client's first SETTINGS came. */
  #begun = false
  readonly #input = new SessionInput()
  #broken = false

  constructor(socket: TLSSocket, options: GateOptions) {
    this.#socket = socket
    this.#options = options
    this.#blocks = new BlockReader(Math.max(MIN_BLOCK_BYTES, options.maxListBytes))
    this.#decoder = new BlockMemory(options)
    this.#own = new OwnResponses(socket, this.#settings, this.#window)
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
    const through = this.#input.take()
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
    /** Of the stream alone. */
    let problem: number | null = null
    switch (type) {
      case HEADERS:
      case CONTINUATION: {
        const block = this.#blocks.take(bytes, start, end)
        if (block !== null) this.#onBlock(block)
        return
      }
      case DATA:
        problem = this.#bounds.data(bytes, start, end)
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
        if (type === RST_STREAM) this.#bounds.forget(stream)
        else if (stream !== 0) problem = this.#bounds.grow(bytes, start)
        break
      case SETTINGS:
        if ((flags & ACK) === 0) this.#settings.take(bytes.subarray(start + FRAME_HEAD_BYTES, end))
    }
    if (problem !== null) return this.#refuse(stream, problem)
    if (type === WINDOW_UPDATE && stream === 0) {
      this.#window.add(bytes.readUInt32BE(start + FRAME_HEAD_BYTES) & MAX_31_BITS)
      return this.#grant()
    }
    this.#input.pass(bytes, start, end)
  }

  /** An error of one stream that the session would take for one of the connection: to it the client resets the stream. */
  #refuse(stream: number, code: number): void {
    this.#bounds.weReset(stream)
    this.#input.add(resetFrame(stream, CANCEL))
    this.#resets.push(resetFrame(stream, code))
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
      this.#bounds.begin(stream)
      if (!endStream && fields !== null) this.#streams.announce(stream, contentBytes(fields))
    }
    const list = isMalformed ? MALFORMED : (fields ?? TOO_MANY(this.#options.maxFields))
    this.#input.add(headerFrames(stream, encodeFields(list), endStream))
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
    if (bytes > 0) this.#input.add(windowUpdate(bytes))
  }
}
