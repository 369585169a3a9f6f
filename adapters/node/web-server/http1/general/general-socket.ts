import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { IdleConnection } from '../../connections/idle-room.ts'
import { ReadingPace } from '../../connections/reading-pace.ts'
import {
  CHUNK_TOO_LARGE,
  HEAD_TOO_LARGE,
  HEAD_TOO_SLOW,
  MALFORMED,
  rawResponse,
  TARGET_TOO_LONG,
} from '../write/raw-response.ts'

/** How long a client may go on sending after it was refused, so that it gets to see the response. */
const LINGER_MS = 1000
const LF = 10
/** Requests that may wait for each other: the connection of who sends more ahead ends with the last of them. */
const MAX_WAITING = 100
/** What node:http says of methods that it does not know, and of raw bytes in a target. */
const UNREAD_LINE = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_URL'])

/** The response to what node:http could not read. */
const refusalOf = (error: NodeJS.ErrnoException, inRequestLine: boolean): [number, string] => {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, HEAD_TOO_SLOW]
    case 'HPE_HEADER_OVERFLOW':
      return inRequestLine ? [414, TARGET_TOO_LONG] : [431, HEAD_TOO_LARGE]
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, CHUNK_TOO_LARGE]
    default:
      return [400, MALFORMED]
  }
}

/** One connection of the general server: what it is doing, and its end when it does that too slowly. */
export class GeneralSocket implements IdleConnection {
  readonly socket: Socket
  readonly #httpDate: () => string
  readonly #headTimer: NodeJS.Timeout
  /** Answers under way: pipelined requests may be read while one is answered. */
  readonly #answers = new Set<ServerResponse>()
  /** The request line of what was handed over did not end there. */
  readonly #inRequestLine: boolean
  readonly #pace: ReadingPace
  #method: string | null
  readonly #maxHeadBytes: number
  /** What had been read of the connection when the head that comes next began. */
  #headFromBytes: number
  /** Whether the response before ends the connection: what still comes is no head. */
  #ending = false
  #idleSinceMs = 0
  /** The last request was answered and read to its end: what comes next begins another. */
  #isBetween = false
  #refused = false
  #lastRequested = false
  #readsNoMore = false
  #turn = Promise.resolve(false)

  /** `headMs`: within what time the head that `unread` begins must be whole; `stallMs`: see `ReadingPace`; `method`: see `GeneralServer.take`. */
  constructor(
    socket: Socket,
    unread: Buffer,
    times: { headMs: number; stallMs: number; maxHeadBytes: number },
    httpDate: () => string,
    method: string | null = null,
  ) {
    this.socket = socket
    this.#method = method
    this.#maxHeadBytes = times.maxHeadBytes
    this.#headFromBytes = socket.bytesRead - unread.length
    this.#httpDate = httpDate
    this.#pace = new ReadingPace(socket, times.stallMs)
    this.#inRequestLine = !unread.includes(LF)
    this.#headTimer = setTimeout(() => this.#refuse(408, HEAD_TOO_SLOW, true), times.headMs)
    socket.once('close', () => clearTimeout(this.#headTimer))
  }

  /** The method of the request that was just read, once, where another stands in for it. */
  takeMethod(): string | null {
    const method = this.#method
    this.#method = null
    return method
  }

  /**
   * A request was read: `work` answers it when those before it have been, since
   * only safe ones might be carried out side by side (RFC 9112, 9.3.2), and
   * resolves with whether its response ends the connection; what came behind is not
   * carried out then. `isLast`: no request may follow it in any case.
   */
  begin(answer: ServerResponse, isLast: boolean, work: () => Promise<boolean>): void {
    if (this.#lastRequested) return this.#readNoMore()
    this.#lastRequested = isLast
    this.#turn = this.#turn.then(async (ended) => {
      this.#ending = ended || !this.socket.writable || (await work())
      return this.#ending
    })
    clearTimeout(this.#headTimer)
    this.#isBetween = false
    this.#answers.add(answer)
    answer.once('close', () => {
      this.#answers.delete(answer)
      this.#idleSinceMs = Date.now()
      this.#headFromBytes = this.socket.bytesRead
      this.#isBetween = this.#answers.size === 0 && answer.req.complete
    })
  }

  /** Whether so many requests wait that the next one is the last. */
  get isFull(): boolean {
    return this.#answers.size >= MAX_WAITING
  }

  /**
   * What is sent behind the last request costs node:http its reading all the same, two
   * megabytes in one turn of the event loop: so it stays with the system.
   */
  #readNoMore(): void {
    if (this.#readsNoMore || this.#answers.size === 0) return
    this.#readsNoMore = true
    process.nextTick(() => {
      // node:http starts it again for the next message unless it finds this.
      Reflect.set(this.socket, '_paused', true)
      const handle: unknown = Reflect.get(this.socket, '_handle')
      if (typeof handle !== 'object' || handle === null) return
      const stop: unknown = Reflect.get(handle, 'readStop')
      if (typeof stop === 'function') Reflect.apply(stop, handle, [])
    })
  }

  /** The connection changes to another protocol: it is never idle again, and nothing is answered here any more. */
  leave(): void {
    clearTimeout(this.#headTimer)
    this.#refused = true
  }

  get idleSinceMs(): number | null {
    const busy = this.#answers.size > 0 || this.#refused || this.socket.destroyed
    // Before its first request it brought the beginning of one.
    return busy || this.#idleSinceMs === 0 || this.socket.writableLength > 0
      ? null
      : this.#idleSinceMs
  }

  closeIdle(): void {
    this.socket.destroy()
  }

  /** Nothing moved for a while: between requests its time is up. */
  onStalled(): void {
    if (this.#answers.size === 0) this.socket.destroy()
  }

  /** Ends the connection when its client takes its response too slowly; called about twice a second. */
  sweep(nowMs: number): void {
    // What became a WebSocket has a time of its own.
    if (this.#refused) return
    if (this.#isHeadTooLong()) return this.#refuse(431, HEAD_TOO_LARGE, false)
    let waiting = this.socket.writableLength > 0
    for (const { writableLength } of this.#answers) waiting ||= writableLength > 0
    if (this.#pace.isTooSlow(nowMs, waiting)) this.socket.destroy()
  }

  /** Whether a head came for twice as long as it may be; node:http does not count blanks. */
  #isHeadTooLong(): boolean {
    if (this.#answers.size > 0 || this.#ending) return false
    return this.socket.bytesRead - this.#headFromBytes > 2 * this.#maxHeadBytes
  }

  /**
   * The bytes of a later request whose request line node:http could not read, where they
   * came in one piece and are all that came behind the last answer; else null.
   */
  unreadLine(error: NodeJS.ErrnoException): Buffer | null {
    if (!this.#isBetween || this.#ending || this.#refused || this.#lastRequested) return null
    if (!UNREAD_LINE.has(error.code ?? '') || this.socket.readableEnded) return null
    const bytes: unknown = Reflect.get(error, 'rawPacket')
    if (!(bytes instanceof Buffer)) return null
    return this.socket.bytesRead - bytes.length === this.#headFromBytes ? Buffer.from(bytes) : null
  }

  /** node:http could not read on. */
  onUnreadable(error: NodeJS.ErrnoException): void {
    // What follows a request that asked to close is nobody's (RFC 9112, 9.6); its response ends the connection.
    if (error.code === 'HPE_CLOSED_CONNECTION' && this.#answers.size > 0) return
    const last: unknown = Reflect.get(error, 'rawPacket')
    const inRequestLine = this.#inRequestLine && !(last instanceof Uint8Array && last.includes(LF))
    const [status, text] = refusalOf(error, inRequestLine)
    this.#refuse(status, text, status === 408)
  }

  /** Says why where the client can still be told, then ends the connection, at once or once it had time to read. */
  #refuse(status: number, text: string, atOnce: boolean): void {
    if (this.#refused) return
    this.#refused = true
    clearTimeout(this.#headTimer)
    const { socket } = this
    const begun = [...this.#answers].some((answer) => answer.headersSent)
    if (!socket.writable || begun) return void socket.destroy()
    socket.end(rawResponse(status, text, this.#httpDate()), 'latin1')
    if (atOnce) return void socket.destroySoon()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
