import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { PhpCall } from '#handlers/sites/origins/php-origin.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import { QuickHeaders } from '../../messages/quick-headers.ts'
import type { Field } from '../../messages/quick-headers.ts'
import {
  cgiVariables,
  connectionVariables,
  fieldVariables,
  shownOrigin,
  targetVariables,
} from '../wire/cgi-variables.ts'
import type { TakeVariable } from '../wire/cgi-variables.ts'
import { encodeStream, HEADER_BYTES, MAX_CONTENT_BYTES, RECORD, writeHeader } from './records.ts'

/** One pair and its record's head at most; grown for what is larger. */
let scratch = Buffer.allocUnsafeSlow(64 * 1024)
/** Room for the record's header ahead of the content. */
const CONTENT_AT = HEADER_BYTES

const room = (at: number, bytes: number): void => {
  if (at + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + bytes))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
}

const writeLength = (at: number, size: number): number => {
  if (size < 128) {
    scratch[at] = size
    return at + 1
  }
  scratch.writeUInt32BE((size | 0x80000000) >>> 0, at)
  return at + 4
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** Writes a name-value pair (FastCGI 1.0, 3.4); answers where the next one begins. */
const writePair = (start: number, name: string, value: string, isField: boolean): number => {
  const isBytes = isField || isAscii(value)
  const size = isBytes ? value.length : Buffer.byteLength(value, 'utf8')
  room(start, name.length + size + 8 + HEADER_BYTES)
  let at = writeLength(start, name.length)
  at = writeLength(at, size)
  at += scratch.write(name, at, 'latin1')
  return at + scratch.write(value, at, isBytes ? 'latin1' : 'utf8')
}

/** Larger than requests are; what one request needed is not kept for good. */
const KEPT_BYTES = 256 * 1024

/** Of a context, what variables are made from; nothing else of a request may be kept. */
type Peers = Pick<
  SiteContext,
  'protocol' | 'secure' | 'clientAddress' | 'clientPort' | 'serverAddress' | 'serverPort'
>

/** What the requests of a client connection that repeats its header block have in common. */
interface Repeated extends Peers {
  method: string
  host: string
  vhost: VirtualHostConfig
  /** Pairs of `connectionVariables` and `fieldVariables`. */
  pairs: Buffer
  shownOrigin: string
}

/** By the list of fields, which a connection keeps as long as it repeats them. */
const repeated = new WeakMap<readonly Field[], Repeated>()

const isRepeated = (known: Repeated, { method }: Request, call: PhpCall): boolean => {
  const { context } = call
  return (
    known.vhost === call.vhost &&
    known.host === call.host &&
    known.method === method &&
    known.secure === context.secure &&
    known.protocol === context.protocol &&
    known.clientPort === context.clientPort &&
    known.serverPort === context.serverPort &&
    known.clientAddress === context.clientAddress &&
    known.serverAddress === context.serverAddress
  )
}

/** Writes all pairs from `start` on; answers where they end. */
const writePairs = (
  start: number,
  request: Request,
  call: PhpCall,
  contentLength: number | null,
): number => {
  let at = start
  const take: TakeVariable = (name, value, isField) => {
    at = writePair(at, name, value, isField)
  }
  const { headers } = request
  const fields = headers instanceof QuickHeaders ? headers.given : null
  // What a site's rules set stands between the two, in the order that PHP has always seen.
  if (fields === null || call.env !== undefined) {
    cgiVariables(request, call, contentLength, take)
    return at
  }
  let known = repeated.get(fields)
  if (known !== undefined && isRepeated(known, request, call)) {
    room(at, known.pairs.length + HEADER_BYTES)
    scratch.set(known.pairs, at)
    at += known.pairs.length
  } else {
    connectionVariables(request, call, take)
    fieldVariables(headers, take)
    const { host, vhost, context } = call
    const { protocol, secure, clientAddress, clientPort, serverAddress, serverPort } = context
    known = {
      ...{ method: request.method, host, vhost, protocol, secure },
      ...{ clientAddress, clientPort, serverAddress, serverPort },
      pairs: Buffer.from(scratch.subarray(start, at)),
      shownOrigin: shownOrigin(request, call),
    }
    repeated.set(fields, known)
  }
  targetVariables(call, known.shownOrigin, contentLength, take)
  return at
}

/** The PARAMS stream of the pairs that were written into `scratch`, up to `at`. */
const streamUpTo = (at: number): Buffer => {
  const size = at - CONTENT_AT
  let stream: Buffer
  if (size <= MAX_CONTENT_BYTES) {
    writeHeader(scratch, 0, RECORD.params, size)
    writeHeader(scratch, at, RECORD.params, 0)
    stream = Buffer.from(scratch.subarray(0, at + HEADER_BYTES))
  } else stream = encodeStream(RECORD.params, scratch.subarray(CONTENT_AT, at))
  if (scratch.length > KEPT_BYTES) scratch = Buffer.allocUnsafeSlow(64 * 1024)
  return stream
}

/** The PARAMS stream of a request. `contentLength` null: there is no body. */
export const encodeParams = (
  request: Request,
  call: PhpCall,
  contentLength: number | null,
): Buffer => streamUpTo(writePairs(CONTENT_AT, request, call, contentLength))

/** The PARAMS stream of these variables alone. */
export const encodeVariables = (variables: Readonly<Record<string, string>>): Buffer =>
  streamUpTo(
    Object.entries(variables).reduce(
      (at, [name, value]) => writePair(at, name, value, false),
      CONTENT_AT,
    ),
  )
