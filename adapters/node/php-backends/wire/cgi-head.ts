import { boundedMemo, PURGE_FIELDS, trimOf } from '#edge-cache/index.ts'
import { FieldList } from '../../messages/field-list.ts'
import { HOP_BY_HOP } from '../../messages/hop-by-hop.ts'
import { QuickHeaders, type Field } from '../../messages/quick-headers.ts'
import { ProtocolError } from '../fastcgi/records.ts'

/** The head of a script's answer. */
export interface CgiHead {
  status: number
  headers: QuickHeaders
  /** Body bytes that came with the head. */
  rest: Buffer<ArrayBuffer>
}

/** What a head says; the list is not changed, since it may serve many responses. */
interface ParsedHead {
  status: number
  fields: readonly Field[]
}

const MAX_HEAD_BYTES = 256 * 1024
/** More cannot be meant well, and each is looked at several times on its way. */
const MAX_FIELDS = 500
/** Of one line, without its end. */
const MAX_LINE_BYTES = 16 * 1024
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What no value may hold; line ends are gone by then. */
const NO_VALUE = /[\0\r]/
const NOTHING = Buffer.alloc(0)
const PURGE_NAMES: ReadonlySet<string> = new Set(PURGE_FIELDS)
const LF = 0x0a
const CR = 0x0d

const statusOf = (value: string): number => {
  const status = Number(/^(\d{3})(?:\s|$)/.exec(value)?.[1] ?? 0)
  if (status < 200 || status > 599) {
    throw new ProtocolError(`the script answered with status ${JSON.stringify(value.slice(0, 40))}`)
  }
  return status
}

/** Reads the fields of a CGI answer (RFC 3875, 6.3). `Location` without `Status` redirects with 302. */
const parseFields = (text: string): ParsedHead => {
  const list = new FieldList()
  let lengthText: string | null = null
  let status: number | null = null
  let redirects = false
  let count = 0
  for (let at = 0; at < text.length;) {
    const lf = text.indexOf('\n', at)
    const end = lf === -1 ? text.length : lf
    const line = text.slice(at, end > at && text.charCodeAt(end - 1) === CR ? end - 1 : end)
    at = end + 1
    if (line === '') continue
    if (++count > MAX_FIELDS)
      throw new ProtocolError(`the script wrote more than ${MAX_FIELDS} header lines`)
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    const isLong = line.length > MAX_LINE_BYTES
    const isPurge = PURGE_NAMES.has(name.toLowerCase())
    if (isLong && !isPurge) throw tooLong(name)
    // More than can be kept: everything of the site, as for each list that is too long.
    const value = isLong ? '*' : trimOf(line.slice(colon + 1))
    if (!NAME.test(name) || NO_VALUE.test(value)) {
      throw new ProtocolError('the script wrote a header line that is none')
    }
    const lower = name.toLowerCase()
    if (lower === 'status') status = statusOf(value)
    // Those about a connection are made by the listener.
    else if (HOP_BY_HOP.has(lower)) continue
    else if (lower === 'content-length') {
      if (!/^\d{1,15}$/.test(value) || (lengthText !== null && lengthText !== value)) {
        throw new ProtocolError('the script wrote a Content-Length that is no number')
      }
      if (lengthText === null) list.add(lower, value)
      lengthText = value
    } else {
      redirects ||= lower === 'location'
      list.add(lower, value)
    }
  }
  return { status: status ?? (redirects ? 302 : 200), fields: list.fields }
}

/** As `parseFields`: a site writes the same head for most of its pages. */
const parseHead = boundedMemo(parseFields, { maxTexts: 64, maxLength: 1024 })

const tooLong = (name: string): ProtocolError =>
  new ProtocolError(
    `the script wrote a header line of more than 16 KiB: ${NAME.test(name) ? name.slice(0, 60) : 'without a name'}`,
  )

const tooLarge = (): ProtocolError => new ProtocolError('the script wrote too many headers')

/** Gathers the head of a response; `push` returns it once its empty line is there, and throws `ProtocolError`. */
export class CgiHeadReader {
  #held: Buffer<ArrayBuffer> = NOTHING
  #size = 0

  push(piece: Buffer<ArrayBuffer>): CgiHead | null {
    const all = this.#append(piece)
    // The empty line may have begun in what was searched before.
    const body = bodyStart(all, Math.max(0, all.length - piece.length - 3))
    if (body === -1) {
      if (all.length > MAX_HEAD_BYTES) throw tooLarge()
      return null
    }
    if (body > MAX_HEAD_BYTES) throw tooLarge()
    const { status, fields } = parseHead(all.toString('latin1', 0, body))
    return { status, headers: new QuickHeaders(fields), rest: all.subarray(body) }
  }

  /** Everything so far; room grows by doubling, so that many tiny pieces cost no more than few large ones. */
  #append(piece: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const size = this.#size + piece.length
    if (this.#size === 0) this.#held = piece
    else {
      if (size > this.#held.length || this.#held.length === this.#size) {
        const larger = Buffer.alloc(size * 2)
        this.#held.copy(larger, 0, 0, this.#size)
        this.#held = larger
      }
      piece.copy(this.#held, this.#size)
    }
    this.#size = size
    return size === this.#held.length ? this.#held : this.#held.subarray(0, size)
  }
}

/** Offset behind the empty line; -1 when it is not there yet. */
const bodyStart = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3
    if (at === 0 || (at === 1 && bytes[0] === CR)) return at + 1
  }
  return -1
}
