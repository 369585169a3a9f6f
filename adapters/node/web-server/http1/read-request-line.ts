import { METHODS } from 'node:http'
import { MAX_METHOD_BYTES } from '../messages/served-methods.ts'
import { BYTE_CLASSES, TOKEN } from './byte-classes.ts'

const CR = 13
const LF = 10
const SPACE = 32

const READABLE: ReadonlySet<string> = new Set(METHODS)
/** What node:http reads in the place of a method that it does not know: a request whose framing is that of any other. */
const STAND_IN = Buffer.from('POST', 'latin1')

/** The bytes of a request whose method node:http may not know. */
export interface MethodRead {
  /** `partial`: it does not end yet; `overlong`: it has too many characters. */
  kind: 'plain' | 'partial' | 'overlong' | 'foreign'
  /** As node:http can read them. */
  bytes: Buffer
  /** The method, where another stands in for it. */
  method: string | null
}

/**
 * Looks at the method of the request that `bytes` begin. node:http reads those of its
 * list alone; for any other token it gets a request with another method, and the
 * real one is told apart from it.
 */
export const readMethod = (bytes: Buffer): MethodRead => {
  let start = 0
  while (bytes[start] === CR || bytes[start] === LF) start++
  let end = start
  const limit = Math.min(bytes.length, start + MAX_METHOD_BYTES + 1)
  while (end < limit && ((BYTE_CLASSES[bytes[end] as number] as number) & TOKEN) !== 0) end++
  const plain = (kind: MethodRead['kind']): MethodRead => ({ kind, bytes, method: null })
  if (end - start > MAX_METHOD_BYTES) return plain('overlong')
  if (end === bytes.length) return plain('partial')
  if (end === start || bytes[end] !== SPACE) return plain('plain')
  const method = bytes.toString('latin1', start, end)
  if (READABLE.has(method)) return plain('plain')
  return { kind: 'foreign', bytes: Buffer.concat([STAND_IN, bytes.subarray(end)]), method }
}
