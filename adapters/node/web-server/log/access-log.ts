import { BYTE_CLASSES, LOG_ESCAPE } from '../http1/head/byte-classes.ts'
import type { HttpClock } from '../http1/http-clock.ts'
import type { FiguresMeter } from '../figures/figures-meter.ts'
import type { Visitor } from '../figures/visitor.ts'
import type { LogBuffer } from './log-buffer.ts'
import { copyBytes, digitsOf, writeDigits } from './write-bytes.ts'

/** Between request line and number of bytes. */
const OK = Buffer.from('" 200 ', 'latin1')
const NOT_MODIFIED = Buffer.from('" 304 ', 'latin1')
const NOT_FOUND = Buffer.from('" 404 ', 'latin1')

/** One answered request. Texts are as received; they are escaped here. */
export interface AccessRecord {
  address: string
  method: string
  target: string
  protocol: string
  status: number
  bodyBytes: number
  /** Result of `logTail`. */
  tail: string
  /** For figures. */
  visitor: Visitor
  /** The requested name: lower case, without port. */
  host: string
  /** Value of the response's X-Cache; null where there was none. */
  cache: string | null
  /** Milliseconds from the head's arrival to the last byte handed to the kernel. */
  durationMs: number
}

/** Makes a client's text safe inside quotes: no quote, backslash or control character can forge a line. */
export const escapeLogText = (text: string): string => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 255 || ((BYTE_CLASSES[code] as number) & LOG_ESCAPE) !== 0) return escapeAll(text)
  }
  return text
}

const escapeAll = (text: string): string => {
  let result = ''
  for (const byte of Buffer.from(text, /[^\0-\xff]/.test(text) ? 'utf8' : 'latin1')) {
    const plain = ((BYTE_CLASSES[byte] as number) & LOG_ESCAPE) === 0
    result += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return result
}

/** The part of a line that repeats on a connection: referer, user agent and host. */
export const logTail = (referer: string | null, agent: string | null, host: string): string =>
  `"${referer === null ? '-' : escapeLogText(referer)}" "${agent === null ? '-' : escapeLogText(agent)}" ${escapeLogText(host) || '-'}`

/** What a line of the fast path ends with. `cache`: see `AccessRecord`. */
const endingOf = (cache: string | null): string => `${cache ?? '-'} 0.000\n`
const HIT_ENDING = endingOf('HIT')

/** The end of a hit's line, behind the number of bytes. `tail`: see `logTail`. */
export const hitTail = (tail: string): Uint8Array => Buffer.from(` ${tail} ${HIT_ENDING}`, 'latin1')

/** `endingOf`, for `AccessLog.hitLine`. */
export const hitEnding = (cache: string | null): Uint8Array =>
  Buffer.from(endingOf(cache), 'latin1')

/**
 * Every answer passes here: its bytes are counted and its line written.
 *
 * Access log in the combined format, followed by host, cache status and duration
 * in seconds: `addr - - [time] "GET / HTTP/1.1" 200 123 "referer" "agent" host HIT 0.001`.
 */
export class AccessLog {
  readonly #clock: HttpClock
  readonly #buffer: LogBuffer | null
  readonly #count: (host: string, bytes: number) => void
  /** Told of every response: here of those of the slow path, by the fast path of its own. Null: nobody asks. */
  readonly figures: FiguresMeter | null

  /** `buffer` null: no access log. `count` is told the bytes of every response. */
  constructor(
    clock: HttpClock,
    buffer: LogBuffer | null,
    count: (host: string, bytes: number) => void = () => undefined,
    figures: FiguresMeter | null = null,
  ) {
    this.#clock = clock
    this.#buffer = buffer
    this.#count = count
    this.figures = figures
  }

  /** A response of the fast path, whose target the strict parser has judged. `cache`: see `AccessRecord`. */
  hit(
    address: string,
    method: string,
    target: string,
    status: number,
    bodyBytes: number,
    tail: string,
    host: string,
    protocol = 'HTTP/1.1',
    cache: string | null = 'HIT',
  ): void {
    this.#count(host, bodyBytes)
    this.#buffer?.append(
      `${address} - - ${this.#clock.logTime} "${method} ${target} ${protocol}" ${status} ${bodyBytes} ${tail} ${endingOf(cache)}`,
    )
  }

  /**
   * `hit` for a request line that is at hand in bytes. `tail`: see `hitTail`;
   * `ending`: see `hitEnding`, null for what `tail` ends with.
   */
  hitLine(
    address: Uint8Array,
    bytes: Uint8Array,
    start: number,
    end: number,
    status: 200 | 304 | 404,
    bodyBytes: number,
    tail: Uint8Array,
    host: string,
    ending: Uint8Array | null = null,
  ): void {
    this.#count(host, bodyBytes)
    const buffer = this.#buffer
    if (buffer === null) return
    const lead = this.#clock.logLead
    const middle = status === 200 ? OK : status === 404 ? NOT_FOUND : NOT_MODIFIED
    const fixed = address.length + lead.length + (end - start) + middle.length + tail.length
    const longer = ending === null ? 0 : ending.length - HIT_ENDING.length
    let at = buffer.claim(fixed + longer + digitsOf(bodyBytes))
    if (at === -1) return
    const { room } = buffer
    at = copyBytes(address, 0, address.length, room, at)
    at = copyBytes(lead, 0, lead.length, room, at)
    at = copyBytes(bytes, start, end, room, at)
    at = copyBytes(middle, 0, middle.length, room, at)
    at = writeDigits(bodyBytes, room, at)
    if (ending === null) return room.set(tail, at)
    at = copyBytes(tail, 0, tail.length - HIT_ENDING.length, room, at)
    copyBytes(ending, 0, ending.length, room, at)
  }

  record(entry: AccessRecord): void {
    const { visitor, target, status, bodyBytes, cache, durationMs } = entry
    this.#count(entry.host, bodyBytes)
    this.figures?.record(visitor, target, status, bodyBytes, cache, durationMs)
    if (this.#buffer === null) return
    const line = `${escapeLogText(entry.method)} ${escapeLogText(entry.target)} ${entry.protocol}`
    this.#buffer.append(
      `${entry.address} - - ${this.#clock.logTime} "${line}" ${entry.status} ${entry.bodyBytes} ${entry.tail} ${entry.cache ?? '-'} ${(entry.durationMs / 1000).toFixed(3)}\n`,
    )
  }

  reopen(): void {
    this.#buffer?.reopen()
  }

  async close(): Promise<void> {
    await this.#buffer?.close()
  }
}
