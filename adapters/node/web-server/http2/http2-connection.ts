import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { IdleConnection } from '../connections/idle-room.ts'
import { ReadingPace } from '../connections/reading-pace.ts'
import type { FieldResponse } from '../http1/fast/fast-responses.ts'
import { connectionFacts, type ConnectionFacts } from '../http1/slow/site-context-of.ts'
import { serveStreamSlow } from './streams/serve-stream-slow.ts'
import { serveStreamFast } from './fast/serve-stream-fast.ts'
import { AuthorityJudge } from './streams/authority-judge.ts'
import { FloodGuard, type FloodKind } from './frames/flood-guard.ts'
import { INTERNAL_ERROR, type FrameError } from './frames/frame-error.ts'
import { FrameGate } from './frames/frame-gate.ts'
import { FastRequests } from './fast/fast-requests.ts'
import type { Http2Services, StreamState } from './http2-services.ts'
import { mostRunning } from './streams/most-running.ts'
import { MAX_FIELDS, openSession } from './session/open-session.ts'
import { OpenStreams } from './streams/open-streams.ts'
import { StreamHead } from './streams/stream-head.ts'

/** How long a client may take to close after our GOAWAY and last answer. */
const LINGER_MS = 3000
/** Within what time the first request follows the handshake, when the worker is on its way out. */
const FIRST_GRACE_MS = 1000
/** What a field costs in a header list beside its text (RFC 9113 6.5.2), times the fields we expect. */
const FIELD_COSTS_BYTES = 64 * 32
const END_STREAM = 1

/** One client connection with HTTP/2. */
export class Http2Connection implements IdleConnection {
  readonly #socket: TLSSocket
  readonly #services: Http2Services
  readonly #session: ServerHttp2Session
  readonly #gate: FrameGate
  readonly #facts: ConnectionFacts
  readonly #authorities: AuthorityJudge
  readonly #fast: FastRequests
  readonly #guard: FloodGuard
  readonly #pace: ReadingPace
  readonly #streams = new OpenStreams()
  /** Requests at a site, those included whose client has gone. */
  #running = 0
  #idleMs: number
  #asked = false
  #closing = false
  #closeAtMs: number | null = null

  /** `onGone` is called once, when the connection closed. */
  constructor(
    socket: TLSSocket,
    services: Http2Services,
    onGone: (connection: Http2Connection) => void,
  ) {
    this.#socket = socket
    this.#services = services
    this.#facts = connectionFacts(socket, true)
    this.#authorities = new AuthorityJudge(this.#facts.serverName, services.hosts)
    this.#fast = new FastRequests(this.#facts, services, this.#authorities)
    this.#idleMs = services.clock.nowMs
    this.#guard = new FloodGuard(this.#idleMs)
    this.#pace = new ReadingPace(socket, services.times.stallMs)
    socket.on('close', () => {
      this.#session.destroy()
      onGone(this)
    })
    socket.on('error', () => socket.destroy())
    // Who says nothing any more opens no windows and acknowledges nothing: its responses would never end.
    socket.on('end', () => this.destroy())
    const maxListBytes = services.maxHeadBytes + FIELD_COSTS_BYTES
    const gate = new FrameGate(socket, {
      maxFields: MAX_FIELDS,
      maxListBytes,
      answer: (...request) => this.#answer(...request),
      onReset: () => this.#allows('reset'),
      onControl: () => this.#allows('control'),
      onBroken: (error) => this.#break(error),
    })
    const session = openSession(gate.duplex, maxListBytes)
    this.#session = session
    this.#gate = gate
    // The session says GOAWAY and ends the socket itself; the sweep sees to it that it does.
    session.on('error', (error) => {
      gate.goodbye(codeOf(error))
      this.#closeAtMs ??= services.clock.nowMs + LINGER_MS
    })
    session.on('stream', this.#onStream)
    session.on('ping', this.#onControl)
    session.on('remoteSettings', this.#onControl)
    session.on('goaway', () => this.close())
  }

  /** Ends what has outlived its time; called about twice a second. */
  sweep(nowMs: number, draining: boolean): void {
    if (this.#closeAtMs !== null && nowMs >= this.#closeAtMs) return void this.#socket.destroy()
    const waiting = this.#streams.waiting()
    const isSending = this.#socket.writableLength > 0
    const tooSlow = this.#pace.isTooSlow(nowMs, waiting > 0 || isSending)
    if (tooSlow && this.#streams.size === 0) return void this.#socket.destroy()
    // A line that takes nothing is slow for everybody.
    this.#streams.sweep(nowMs, tooSlow ? 1 : waiting, this.#services)
    if (this.#closing) return this.#armClose()
    if (isSending) this.#idleMs = nowMs
    const { keepAliveMs, headMs } = this.#services.times
    const idleMs = this.#asked ? keepAliveMs : Math.max(keepAliveMs, headMs)
    const idle = this.#streams.size === 0 && nowMs >= this.#idleMs + idleMs
    if (idle) this.close()
    else if (draining) this.retire()
  }

  /** Closes, unless the client has not asked anything on its new connection yet. */
  retire(): void {
    if (this.#asked || this.#services.clock.nowMs >= this.#idleMs + FIRST_GRACE_MS) this.close()
  }

  /**
   * GOAWAY, the responses under way, the end. A request that crosses the GOAWAY
   * has a higher number than it names, so that its client may ask again on
   * another connection (RFC 9113 6.8).
   */
  close(): void {
    if (this.#closing) return
    this.#closing = true
    if (!this.#session.destroyed) this.#session.close()
    this.#armClose()
  }

  get idleSinceMs(): number | null {
    return this.#closing || this.#isBusy ? null : this.#idleMs
  }

  closeIdle(): void {
    this.close()
  }

  destroy(): void {
    this.#session.destroy()
    this.#socket.destroy()
  }

  /** Whether the client has something to get yet. */
  get #isBusy(): boolean {
    return this.#streams.size > 0 || this.#socket.writableLength > 0
  }

  #armClose(): void {
    if (this.#isBusy || this.#closeAtMs !== null) return
    this.#closeAtMs = this.#services.clock.nowMs + LINGER_MS
  }

  /** What is ready to be sent goes past the session. */
  #answer(stream: number, fields: readonly string[], roomBytes: number): FieldResponse | null {
    if (this.#closing || this.#session.destroyed) return null
    const { clock } = this.#services
    clock.update()
    const answer = this.#fast.answer(stream, fields, roomBytes)
    if (answer === null) return null
    this.#asked = true
    this.#idleMs = clock.nowMs
    return answer
  }

  #break({ message, code }: FrameError): void {
    // What nobody foresaw is our fault.
    if (code === INTERNAL_ERROR) this.#services.log.error('a connection broke', { error: message })
    this.#session.destroy(new Error(message), code)
  }

  readonly #onControl = (): void => {
    this.#allows('control')
  }

  #allows(kind: FloodKind): boolean {
    const { clock } = this.#services
    clock.update()
    if (this.#guard.allows(kind, clock.nowMs)) return true
    this.#gate.goodbye(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    this.#session.destroy(new Error('flood'), constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return false
  }

  readonly #onStream = (
    stream: ServerHttp2Stream,
    _headers: unknown,
    flags: number,
    raw: string[],
  ): void => {
    const { clock, counters } = this.#services
    stream.on('error', ignore)
    if (this.#session.destroyed) return
    // Taken back in the same breath.
    if (stream.destroyed) return void this.#allows('reset')
    clock.update()
    this.#asked = true
    const state = this.#streams.begin(stream, (flags & END_STREAM) === 0, clock.nowMs)
    stream.on('close', () => this.#onStreamClose(stream, state))
    // Requests whose client has gone still run for a moment.
    if (this.#running >= mostRunning(this.#services.load)) {
      state.closedByUs = true
      if (this.#allows('refused')) stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    counters.requests++
    const head = new StreamHead(raw)
    const { host, misdirected } = this.#authorities.judge(head.target)
    const mayBeFast = !state.receiving && !misdirected && host !== ''
    const found = mayBeFast ? this.#fast.find(stream.id ?? 0, head, host) : null
    if (found !== null) {
      const isSent = serveStreamFast(stream, found.answer, this.#services, state)
      if (isSent) this.#fast.record(found, head, host)
      return
    }
    this.#running++
    this.#services.load.running++
    const who = this.#fast.whoAsks(head, host)
    const slow = { stream, head, state, misdirected, who, host }
    void serveStreamSlow(slow, this.#facts, this.#services).finally(() => {
      this.#running--
      this.#services.load.running--
    })
  }

  #onStreamClose(stream: ServerHttp2Stream, state: StreamState): void {
    this.#streams.end(stream)
    this.#idleMs = this.#services.clock.nowMs
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && !state.closedByUs) {
      if (!this.#session.destroyed) this.#allows('reset')
    }
    if (this.#closing) this.#armClose()
  }
}

/** nghttp2's number for a client that exceeds our window. */
const FLOW_CONTROL_ERRNO = -524

/** What GOAWAY says of an error that the session found by itself. */
const codeOf = (error: Error): number =>
  'errno' in error && error.errno === FLOW_CONTROL_ERRNO
    ? constants.NGHTTP2_FLOW_CONTROL_ERROR
    : constants.NGHTTP2_PROTOCOL_ERROR

const ignore = (): void => undefined
