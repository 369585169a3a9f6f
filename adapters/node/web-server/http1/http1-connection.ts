import type { Socket } from 'node:net'
import type { IdleConnection } from '../connections/idle-room.ts'
import { ReadingPace } from '../connections/reading-pace.ts'
import { readShared } from '../connections/read-buffer.ts'
import { serveSlow } from './slow/serve-slow.ts'
import { serveFast } from './fast/serve-fast.ts'
import type { ConnectionServices } from './connection-services.ts'
import { HAND_OVER, INCOMPLETE } from './head/head-parser.ts'
import { drained } from './write/pump-body.ts'
import {
  HEAD_TOO_LARGE,
  HEAD_TOO_SLOW,
  isHeadTooLong,
  isTargetTooLong,
  METHOD_TOO_LONG,
  rawResponse,
  TARGET_TOO_LONG,
} from './write/raw-response.ts'
import { readRequestLine } from './head/read-request-line.ts'
import { RequestReader } from './head/request-reader.ts'
import { connectionFacts, type ConnectionFacts } from './slow/site-context-of.ts'

/** Bytes that may wait behind a request that is being answered. */
const READ_AHEAD_BYTES = 65_536
/** Requests of one connection that are answered before others have their turn, where a client sends many ahead. */
const ANSWERED_AT_ONCE = 256
/** The same of those that go the slow path. */
const SLOW_AT_ONCE = 16
/** How long a client may take to close after our last answer. */
const LINGER_MS = 3000
/** An idle connection of a draining worker gets this long for one more request. */
const DRAIN_GRACE_MS = 1000

type State = 'reading' | 'busy' | 'closing' | 'gone'

/**
 * One client connection on the fast path: answers hits from prebuilt bytes and
 * everything else that the strict parser accepts through the site handler, in
 * the order of arrival; the rest is handed to the general HTTP server.
 */
export class Http1Connection implements IdleConnection {
  readonly #socket: Socket
  readonly #services: ConnectionServices
  readonly #facts: ConnectionFacts
  readonly #reader: RequestReader
  readonly #pace: ReadingPace
  readonly #onGone: (connection: Http1Connection) => void
  #state: State = 'reading'
  #stash: Buffer | null = null
  #deadlineMs: number
  #activeMs: number
  #ended = false
  /** Requests of the slow path behind which more had been sent. */
  #ahead = 0
  /** Whether it came back after its first bytes: only then is it worth more than they. */
  #returned = false
  #abort: AbortController | null = null

  /** `onGone` is called once, when the connection closed or was handed over. */
  constructor(
    socket: Socket,
    secure: boolean,
    services: ConnectionServices,
    onGone: (connection: Http1Connection) => void,
  ) {
    this.#socket = socket
    this.#services = services
    this.#onGone = onGone
    this.#facts = connectionFacts(socket, secure)
    const { clientAddress } = this.#facts
    this.#reader = new RequestReader(services.maxHeadBytes, services.targets, clientAddress)
    this.#pace = new ReadingPace(socket, services.times.stallMs)
    this.#activeMs = services.clock.nowMs
    this.#deadlineMs = this.#activeMs + Math.max(services.times.headMs, services.times.keepAliveMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  /** Ends the connection when its time is up; called about twice a second. */
  sweep(nowMs: number, draining: boolean): void {
    const tooSlow = this.#pace.isTooSlow(nowMs, this.#socket.writableLength > 0)
    if (tooSlow) this.#socket.destroy()
    if (this.#state === 'closing' && nowMs >= this.#deadlineMs) this.#socket.destroy()
    if (this.#state !== 'reading') return
    const idle = this.#stash === null
    if (nowMs >= this.#deadlineMs) {
      if (!idle) this.#socket.write(rawResponse(408, HEAD_TOO_SLOW, this.#services.clock.httpDate))
      this.#finish()
    } else if (draining && idle && nowMs >= this.#activeMs + DRAIN_GRACE_MS) this.#finish()
  }

  get idleSinceMs(): number | null {
    const idle = this.#state === 'reading' && this.#stash === null && !this.#socket.destroyed
    return idle && this.#socket.writableLength === 0 ? this.#activeMs : null
  }

  closeIdle(): void {
    this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#returned) readShared(this.#socket, this.#onShared)
    this.#returned = true
    this.#take(chunk)
  }

  readonly #onShared = (bytes: Buffer): boolean => {
    // The general server, which has the connection then, reads the stream.
    if (this.#state === 'gone') return this.#socket.push(Buffer.from(bytes))
    this.#take(bytes)
    return true
  }

  /** Takes what came; `chunk` may be written over afterwards. */
  #take(chunk: Buffer): void {
    this.#services.clock.update()
    this.#services.cpu?.turns.leave()
    if (this.#state === 'closing') return
    const bytes = this.#stash === null ? chunk : Buffer.concat([this.#stash, chunk])
    this.#stash = null
    if (this.#state === 'reading') return this.#work(bytes, chunk.length < bytes.length)
    this.#keep(bytes)
    if (bytes.length > READ_AHEAD_BYTES) this.#socket.pause()
  }

  /** Keeps what could not be read yet. */
  #keep(bytes: Buffer): void {
    this.#stash = bytes.length === 0 ? null : Buffer.from(bytes)
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    if (this.#state === 'reading') this.#finish()
  }

  /** One for all requests of the connection: they follow one another, and it is gone for all of them. */
  readonly #signal = (): AbortSignal => {
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#state = 'gone'
    this.#stash = null
    this.#abort?.abort(new Error('The client closed the connection.'))
    this.#onGone(this)
  }

  /** Answers the requests in `bytes`. `continued`: its beginning had come before. */
  #work(bytes: Buffer, continued: boolean): void {
    const { clock, times, cpu } = this.#services
    let at = 0
    let count = 0
    while (at < bytes.length) {
      const next = this.#reader.read(bytes, at)
      // A head that dribbles in is better kept by a parser that can stop inside it.
      if (next === HAND_OVER || (next === INCOMPLETE && continued && at === 0)) {
        const leftMs = continued && at === 0 ? this.#deadlineMs - clock.nowMs : times.headMs
        const isPartial =
          !this.#ended &&
          bytes.length - at <= this.#services.maxHeadBytes &&
          readRequestLine(bytes.subarray(at)).kind === 'partial'
        if (isPartial) {
          this.#keep(bytes.subarray(at))
          this.#deadlineMs = clock.nowMs + leftMs
          return
        }
        return this.#handOver(Buffer.from(bytes.subarray(at)), Math.max(1, leftMs))
      }
      if (next === INCOMPLETE) {
        if (this.#ended) return this.#finish()
        this.#keep(bytes.subarray(at))
        this.#deadlineMs = clock.nowMs + times.headMs
        return
      }
      this.#services.counters.requests++
      const beganMs = cpu === null ? 0 : cpu.meter.begin()
      const answered = serveFast(this.#socket, this.#facts, this.#services, this.#reader, bytes)
      // What goes the slow path is counted there.
      if (beganMs !== 0 && answered !== null) cpu?.meter.end(this.#reader.facts.host, beganMs)
      if (answered === true) {
        at = next
        if (++count < ANSWERED_AT_ONCE || at === bytes.length) continue
        this.#keep(bytes.subarray(at))
        this.#state = 'busy'
        return this.#giveTurn()
      } else {
        this.#keep(bytes.subarray(next))
        this.#state = 'busy'
        if (answered === null) this.#serveSlow(bytes)
        else void this.#resumeDrained()
        return
      }
    }
    if (this.#ended) return this.#finish()
    this.#activeMs = clock.nowMs
    this.#deadlineMs = clock.nowMs + times.keepAliveMs
  }

  /** The rest of what was sent ahead is read when others had their turn. */
  #giveTurn(): void {
    setImmediate(() => {
      this.#services.clock.update()
      this.#resume()
    })
  }

  #serveSlow(bytes: Buffer): void {
    const { head, facts, hostField, fields } = this.#reader
    const answered = serveSlow(this.#socket, this.#facts, this.#services, {
      method: head.isHead ? 'HEAD' : 'GET',
      rawTarget: this.#reader.target(bytes),
      host: hostField,
      siteName: facts.host,
      fields,
      close: facts.close,
      tail: facts.tail,
      visitor: facts.visitor,
      signal: this.#signal,
      facts: facts.special || facts.etag !== null || head.isHead ? null : facts,
    })
    void answered.then(this.#afterSlow)
  }

  readonly #afterSlow = (close: boolean): void => {
    if (close) this.#finish()
    // Nothing may have been waited for, and so it may be with those behind it.
    else if (this.#stash !== null && ++this.#ahead % SLOW_AT_ONCE === 0) this.#giveTurn()
    else this.#resume()
  }

  async #resumeDrained(): Promise<void> {
    try {
      await drained(this.#socket)
    } catch {
      return
    }
    this.#services.clock.update()
    this.#resume()
  }

  /** Goes on with what came meanwhile. */
  #resume(): void {
    if (this.#state !== 'busy' || this.#socket.destroyed) return
    this.#state = 'reading'
    const { clock, times } = this.#services
    this.#activeMs = clock.nowMs
    this.#deadlineMs = clock.nowMs + times.keepAliveMs
    const bytes = this.#stash
    this.#stash = null
    if (bytes !== null) this.#work(bytes, false)
    else if (this.#ended) this.#finish()
    if (this.#socket.isPaused() && this.#readable()) this.#socket.resume()
  }

  /** Whether this connection still reads itself, i.e. was not closed or handed over by `#work`. */
  #readable(): boolean {
    return this.#state === 'reading' || (this.#state === 'busy' && this.#stash === null)
  }

  #handOver(unread: Buffer, headMs = this.#services.times.headMs): void {
    const socket = this.#socket
    if (this.#ended) return this.#finish()
    const { maxHeadBytes } = this.#services
    const { kind, bytes, method } = readRequestLine(unread)
    if (kind === 'overlong') return this.#refuse(400, METHOD_TOO_LONG)
    if (isTargetTooLong(unread, maxHeadBytes)) return this.#refuse(414, TARGET_TOO_LONG)
    if (isHeadTooLong(unread, maxHeadBytes)) return this.#refuse(431, HEAD_TOO_LARGE)
    this.#state = 'gone'
    this.#services.counters.handedOver++
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#onGone(this)
    const paused = socket.isPaused()
    this.#services.handOver(socket, bytes, headMs, method)
    if (paused) socket.resume()
  }

  /** Says why nothing can be read from the connection, and ends it. */
  #refuse(status: number, text: string): void {
    this.#socket.write(rawResponse(status, text, this.#services.clock.httpDate))
    this.#finish()
  }

  #finish(): void {
    if (this.#state === 'closing' || this.#state === 'gone') return
    this.#state = 'closing'
    this.#stash = null
    this.#deadlineMs = this.#services.clock.nowMs + LINGER_MS
    this.#socket.end()
    if (this.#socket.isPaused()) this.#socket.resume()
  }
}
