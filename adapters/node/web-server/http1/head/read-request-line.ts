import { METHODS } from 'node:http'
import { MAX_METHOD_BYTES } from '../../../messages/served-methods.ts'
import { BYTE_CLASSES, TOKEN } from './byte-classes.ts'

const CR = 13
const LF = 10
const SPACE = 32

const READABLE: ReadonlySet<string> = new Set(METHODS)
/** What node:http reads in the place of a method that it does not know: a request whose framing is that of any other. */
const STAND_IN = Buffer.from('POST', 'latin1')

/** The bytes of a request whose request line node:http may not read. */
export interface RequestLineRead {
  /** `partial`: not enough of it is there; `overlong`: its method has too many characters. */
  kind: 'plain' | 'partial' | 'overlong' | 'foreign'
  /** As node:http can read them. */
  bytes: Buffer
  /** The method, where another stands in for it. */
  method: string | null
}

/**
 * Escapes the bytes beyond ASCII of the request line that ends at `end`, as browsers do
 * themselves: raw UTF-8 in a target means the same, and node:http refuses it.
 */
const escapeLine = (bytes: Buffer, end: number): Buffer => {
  let line = ''
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number
    line += byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`
  }
  return Buffer.concat([Buffer.from(line, 'latin1'), bytes.subarray(end)])
}

/**
 * Looks at the request line that `bytes` begin. node:http reads methods of its
 * list alone; for any other token it gets a request with another method, and the
 * real one is told apart from it.
 */
export const readRequestLine = (bytes: Buffer): RequestLineRead => {
  let start = 0
  while (bytes[start] === CR || bytes[start] === LF) start++
  let end = start
  const limit = Math.min(bytes.length, start + MAX_METHOD_BYTES + 1)
  while (end < limit && ((BYTE_CLASSES[bytes[end] as number] as number) & TOKEN) !== 0) end++
  const plain = (kind: RequestLineRead['kind']): RequestLineRead => ({ kind, bytes, method: null })
  if (end - start > MAX_METHOD_BYTES) return plain('overlong')
  if (end === bytes.length) return plain('partial')
  if (end === start || bytes[end] !== SPACE) return plain('plain')
  const method = bytes.toString('latin1', start, end)
  const lineEnd = bytes.indexOf(LF, end)
  const rest = bytes.subarray(end)
  const isRaw = hasRawByte(bytes, end, lineEnd === -1 ? bytes.length : lineEnd)
  if (isRaw && lineEnd === -1) return plain('partial')
  const escaped = isRaw ? escapeLine(rest, lineEnd - end) : rest
  if (!READABLE.has(method)) {
    return { kind: 'foreign', bytes: Buffer.concat([STAND_IN, escaped]), method }
  }
  if (!isRaw) return plain('plain')
  return { kind: 'foreign', bytes: Buffer.concat([bytes.subarray(start, end), escaped]), method }
}

const hasRawByte = (bytes: Buffer, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if ((bytes[at] as number) >= 0x80) return true
  return false
}
