import { ProtocolError } from './records.ts'

/** The head of a script's answer. */
export interface CgiHead {
  status: number
  headers: Headers
  /** Body bytes that came with the head. */
  rest: Buffer
}

const MAX_HEAD_BYTES = 256 * 1024
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/
/** Fields about one connection; ours are made by the listener (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
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
const parseFields = (text: string): { status: number; headers: Headers } => {
  const headers = new Headers()
  let status: number | null = null
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue
    const match = FIELD.exec(line)
    const [, name = '', value = ''] = match ?? []
    if (!match) throw new ProtocolError('the script wrote a header line that is none')
    const lower = name.toLowerCase()
    if (lower === 'status') status = statusOf(value)
    else if (HOP_BY_HOP.has(lower)) continue
    else if (lower === 'content-length') {
      if (!/^\d{1,15}$/.test(value) || (headers.has(lower) && headers.get(lower) !== value)) {
        throw new ProtocolError('the script wrote a Content-Length that is no number')
      }
      headers.set(lower, value)
    } else headers.append(name, value)
  }
  return { status: status ?? (headers.has('location') ? 302 : 200), headers }
}

const tooLarge = (): ProtocolError => new ProtocolError('the script wrote too many headers')

/** Gathers the head of an answer; `push` returns it once its empty line is there, and throws `ProtocolError`. */
export class CgiHeadReader {
  #held: Buffer = Buffer.alloc(0)
  #size = 0

  push(piece: Buffer): CgiHead | null {
    const all = this.#append(piece)
    // The empty line may have begun in what was searched before.
    const body = bodyStart(all, Math.max(0, all.length - piece.length - 3))
    if (body === -1) {
      if (all.length > MAX_HEAD_BYTES) throw tooLarge()
      return null
    }
    if (body > MAX_HEAD_BYTES) throw tooLarge()
    try {
      return { ...parseFields(all.toString('latin1', 0, body)), rest: all.subarray(body) }
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      throw new ProtocolError('the script wrote a header that no answer may hold')
    }
  }

  /** Everything so far; room grows by doubling, so that many tiny pieces cost no more than few large ones. */
  #append(piece: Buffer): Buffer {
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
    return this.#held.subarray(0, size)
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
