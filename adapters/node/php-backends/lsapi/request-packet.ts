import type { PhpCall } from '#handlers/sites/origins/php-origin.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { cgiVariables } from '../wire/cgi-variables.ts'
import { MAX_REQUEST_HEAD_BYTES, PACKET, PACKET_HEAD_BYTES, writePacketHead } from './packets.ts'

/** Header fields that have a place of their own in a request, in the protocol's order. */
const INDEXED = [
  'HTTP_ACCEPT',
  'HTTP_ACCEPT_CHARSET',
  'HTTP_ACCEPT_ENCODING',
  'HTTP_ACCEPT_LANGUAGE',
  'HTTP_AUTHORIZATION',
  'HTTP_CONNECTION',
  'CONTENT_TYPE',
  'CONTENT_LENGTH',
  'HTTP_COOKIE',
  'HTTP_COOKIE2',
  'HTTP_HOST',
  'HTTP_PRAGMA',
  'HTTP_REFERER',
  'HTTP_USER_AGENT',
  'HTTP_CACHE_CONTROL',
  'HTTP_IF_MODIFIED_SINCE',
  'HTTP_IF_MATCH',
  'HTTP_IF_NONE_MATCH',
  'HTTP_IF_RANGE',
  'HTTP_IF_UNMODIFIED_SINCE',
  'HTTP_KEEP_ALIVE',
  'HTTP_RANGE',
  'HTTP_X_FORWARDED_FOR',
  'HTTP_VIA',
  'HTTP_TRANSFER_ENCODING',
]
const PLACE = new Map(INDEXED.map((name, place) => [name, place]))
/** Nine numbers follow the packet's head. */
const FIXED_BYTES = PACKET_HEAD_BYTES + 9 * 4
/** Lengths in 16 bits, rounded up to where the offsets in 32 bits begin. */
const INDEX_OFFSETS_AT = Math.ceil((INDEXED.length * 2) / 4) * 4
const INDEX_BYTES = INDEX_OFFSETS_AT + INDEXED.length * 4
const UNKNOWN_BYTES = 16
/** Marks a setting of php.ini that the script itself cannot change. */
const INI_SYSTEM = '\x01\x04'
/**
 * Errors must reach us, whatever the site's own settings say: they are the only
 * sign that a page with status 200 broke off half-way.
 */
const SETTINGS: [string, string][] = [[`${INI_SYSTEM}log_errors`, '1']]
/** A body of a length that does not fit in 31 bits: lsphp reads Content-Length. */
const LENGTH_IN_HEADER = -2
const MAX_INT = 0x7fff_ffff

type Pair = [name: string, value: string]

/** Pairs with lengths in 16 bits, big-endian unlike all else, both counting the zero byte that ends a text. */
const encodePairs = (pairs: readonly Pair[], at: number, places: Map<string, number>): Buffer => {
  const parts: Buffer[] = []
  for (const [name, value] of pairs) {
    const nameBytes = Buffer.from(`${name}\0`, 'latin1')
    const valueBytes = Buffer.from(`${value}\0`, 'utf8')
    const lengths = Buffer.alloc(4)
    if (valueBytes.length > 0xffff) throw tooLarge()
    lengths.writeUInt16BE(nameBytes.length, 0)
    lengths.writeUInt16BE(valueBytes.length, 2)
    places.set(name, at + 4 + nameBytes.length)
    at += 4 + nameBytes.length + valueBytes.length
    parts.push(lengths, nameBytes, valueBytes)
  }
  return Buffer.concat([...parts, Buffer.alloc(4)])
}

const tooLarge = (): OriginError =>
  new OriginError(431, 'the request head is larger than LSAPI can carry')

/** Where each header field lies in the texts behind the tables. */
const encodeHeaders = (
  headers: readonly Pair[],
): { tables: Buffer; texts: Buffer; unknown: number } => {
  const index = Buffer.alloc(INDEX_BYTES)
  const unknown: Buffer[] = []
  // Offset zero means that a field is not there, so nothing may begin at it.
  const texts: Buffer[] = [Buffer.alloc(1)]
  let at = 1
  const put = (text: string): { offset: number; length: number } => {
    const bytes = Buffer.from(`${text}\0`, 'latin1')
    texts.push(bytes)
    const place = { offset: at, length: bytes.length - 1 }
    at += bytes.length
    return place
  }
  for (const [name, value] of headers) {
    const place = PLACE.get(name)
    if (place === undefined) {
      const field = Buffer.alloc(UNKNOWN_BYTES)
      const fieldName = put(name.replace(/^HTTP_/, '').replaceAll('_', '-'))
      const fieldValue = put(value)
      for (const [slot, number] of [
        fieldName.offset,
        fieldName.length,
        fieldValue.offset,
        fieldValue.length,
      ].entries())
        field.writeInt32LE(number, slot * 4)
      unknown.push(field)
      continue
    }
    const { offset, length } = put(value)
    if (length > 0xffff) throw tooLarge()
    index.writeUInt16LE(length, place * 2)
    index.writeInt32LE(offset, INDEX_OFFSETS_AT + place * 4)
  }
  return {
    tables: Buffer.concat([index, ...unknown]),
    texts: Buffer.concat(texts),
    unknown: unknown.length,
  }
}

/**
 * The packet that begins a request; the body follows bare. `contentLength` null:
 * there is no body. Throws `OriginError` 431 when it would be too long.
 */
export const encodeRequest = (
  request: Request,
  call: PhpCall,
  contentLength: number | null,
): Buffer => {
  const variables: Pair[] = []
  const headers: Pair[] = []
  cgiVariables(request, call, contentLength, (name, value, isField) => {
    const isHeader = isField || PLACE.has(name)
    ;(isHeader ? headers : variables).push([name, value])
  })
  const places = new Map<string, number>()
  const settings = encodePairs(SETTINGS, FIXED_BYTES, new Map())
  const pairs = encodePairs(variables, FIXED_BYTES + settings.length, places)
  const { tables, texts, unknown } = encodeHeaders(headers)
  const front = FIXED_BYTES + settings.length + pairs.length
  const padding = Buffer.alloc(-front & 7)
  const size = front + padding.length + tables.length + texts.length
  if (size > MAX_REQUEST_HEAD_BYTES) throw tooLarge()
  const head = Buffer.alloc(FIXED_BYTES)
  writePacketHead(head, PACKET.beginRequest, size)
  const bodyLength = contentLength ?? 0
  for (const [slot, number] of [
    texts.length,
    bodyLength > MAX_INT ? LENGTH_IN_HEADER : bodyLength,
    places.get('SCRIPT_FILENAME') ?? 0,
    // What lsphp calls the script's name becomes PHP_SELF, which has the PATH_INFO.
    places.get('DOCUMENT_URI') ?? 0,
    places.get('QUERY_STRING') ?? 0,
    places.get('REQUEST_METHOD') ?? 0,
    unknown,
    variables.length,
    SETTINGS.length,
  ].entries())
    head.writeInt32LE(number, PACKET_HEAD_BYTES + slot * 4)
  return Buffer.concat([head, settings, pairs, padding, tables, texts])
}
