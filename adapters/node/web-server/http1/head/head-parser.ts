import { BYTE_CLASSES, HOST, TARGET, TOKEN, VALUE } from './byte-classes.ts'
import { fieldKind, isToken, type FieldKind } from './field-names.ts'
import type { Head } from './head.ts'

/** Longest request head that the fast parser looks at, in bytes, whatever more is allowed. */
export const MAX_HEAD_BYTES = 16_384

/** The chunk does not hold the whole head yet. */
export const INCOMPLETE = 0
/** Not plainly a complete strict GET or HEAD: somebody else's work, from its first byte on. */
export const HAND_OVER = -1

const CR = 13
const LF = 10
const SPACE = 32
const TAB = 9
const SLASH = 47
const DOT = 46
const PERCENT = 37
const QUESTION = 63
const SEMICOLON = 59
const COLON = 58
const GET = [71, 69, 84, 32]
const HEAD = [72, 69, 65, 68, 32]
/** ` HTTP/1.1` with its line end; the blank before it was consumed with the target. */
const VERSION = [72, 84, 84, 80, 47, 49, 46, 49, CR, LF]

/** 1 when `bytes` has the word at `at`, 0 when it ends inside it, -1 when it differs. */
const wordAt = (bytes: Uint8Array, at: number, end: number, word: readonly number[]): number => {
  for (let i = 0; i < word.length; i++) {
    if (at + i >= end) return 0
    if (bytes[at + i] !== word[i]) return -1
  }
  return 1
}

/**
 * Reads the request line at `start`. Answers the offset of its CR, INCOMPLETE
 * or HAND_OVER.
 */
export const parseRequestLine = (
  bytes: Uint8Array,
  start: number,
  end: number,
  head: Head,
): number => {
  head.isHead = bytes[start] === HEAD[0]
  const method = head.isHead ? HEAD : GET
  const known = wordAt(bytes, start, end, method)
  if (known !== 1) return known
  let at = start + method.length
  if (at >= end) return INCOMPLETE
  if (bytes[at] !== SLASH) return HAND_OVER
  head.targetStart = at
  head.hasQuery = false
  let plain = true
  let previous = 0
  let hash = 0
  for (; at < end; at++) {
    const byte = bytes[at] as number
    if (((BYTE_CLASSES[byte] as number) & TARGET) === 0) break
    hash = (Math.imul(hash, 31) + byte) | 0
    if (byte === QUESTION) head.hasQuery = true
    else if (byte === PERCENT || byte === SEMICOLON) plain = false
    else if (previous === SLASH && (byte === SLASH || byte === DOT)) plain = false
    previous = byte
  }
  if (at >= end) return INCOMPLETE
  if (bytes[at] !== SPACE) return HAND_OVER
  head.targetEnd = at
  head.targetHash = hash
  head.plainPath = plain && !head.hasQuery
  const version = wordAt(bytes, at + 1, end, VERSION)
  return version === 1 ? at + VERSION.length - 1 : version
}

/** Files a field's value range; false refuses the head. */
const takeField = (
  kind: FieldKind,
  bytes: Uint8Array,
  start: number,
  end: number,
  head: Head,
): boolean => {
  switch (kind) {
    case 'refused':
      return false
    case 'special':
      head.special = true
      return true
    case 'host':
      if (head.hostStart !== -1 || start === end) return false
      for (let at = start; at < end; at++) {
        if (((BYTE_CLASSES[bytes[at] as number] as number) & HOST) === 0) return false
      }
      head.hostStart = start
      head.hostEnd = end
      return true
    case 'connection':
      if (isToken(bytes, start, end, 'close')) head.close = true
      else if (!isToken(bytes, start, end, 'keep-alive')) return false
      return true
    case 'referer':
      head.refererStart = start
      head.refererEnd = end
      return true
    case 'user-agent':
      // Elsewhere two are one value, which may mean another device.
      if (head.agentStart !== -1) head.special = true
      head.agentStart = start
      head.agentEnd = end
      return true
    case 'if-none-match':
      if (head.etagStart !== -1) head.special = true
      head.etagStart = start
      head.etagEnd = end
      return true
    case 'cookie':
      if (head.cookieStart !== -1) head.special = true
      head.cookieStart = start
      head.cookieEnd = end
      return true
    case 'accept':
      if (head.acceptStart !== -1) head.special = true
      head.acceptStart = start
      head.acceptEnd = end
      return true
    case 'accept-encoding':
      if (head.codingsStart !== -1) head.special = true
      head.codingsStart = start
      head.codingsEnd = end
      return true
    case 'other':
      return true
  }
}

/**
 * Reads the header block whose request line's CR stands at `blockStart`.
 * Answers the offset behind the empty line, INCOMPLETE or HAND_OVER.
 */
const parseBlock = (bytes: Uint8Array, blockStart: number, end: number, head: Head): number => {
  head.blockStart = blockStart
  head.hostStart = head.refererStart = head.agentStart = -1
  head.etagStart = head.cookieStart = head.acceptStart = head.codingsStart = -1
  head.close = head.special = false
  let at = blockStart + 2
  for (;;) {
    if (at >= end) return INCOMPLETE
    if (bytes[at] === CR) {
      if (at + 1 >= end) return INCOMPLETE
      return bytes[at + 1] === LF && head.hostStart !== -1 ? at + 2 : HAND_OVER
    }
    const nameStart = at
    while (at < end && ((BYTE_CLASSES[bytes[at] as number] as number) & TOKEN) !== 0) at++
    if (at >= end) return INCOMPLETE
    if (bytes[at] !== COLON || at === nameStart) return HAND_OVER
    const nameEnd = at++
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
    const valueStart = at
    while (at < end && ((BYTE_CLASSES[bytes[at] as number] as number) & VALUE) !== 0) at++
    if (at + 1 >= end) return at < end && bytes[at] !== CR ? HAND_OVER : INCOMPLETE
    if (bytes[at] !== CR || bytes[at + 1] !== LF) return HAND_OVER
    let valueEnd = at
    while (valueEnd > valueStart && (bytes[valueEnd - 1] === SPACE || bytes[valueEnd - 1] === TAB))
      valueEnd--
    const kind = fieldKind(bytes, nameStart, nameEnd)
    if (!takeField(kind, bytes, valueStart, valueEnd, head)) return HAND_OVER
    at += 2
  }
}

/**
 * Strict parser of one HTTP/1.1 GET or HEAD head that begins at `start`.
 * Answers the offset behind the head and fills `head`; INCOMPLETE when more
 * bytes must come; HAND_OVER for everything that is not plainly such a head.
 * It may refuse a head that others accept but never understands one
 * differently: that is its security property (RFC 9112 11.2). A head longer than
 * `maxBytes` is handed over.
 */
export const parseHead = (
  bytes: Uint8Array,
  start: number,
  end: number,
  head: Head,
  maxBytes = MAX_HEAD_BYTES,
): number => {
  const limit = Math.min(end, start + maxBytes)
  const block = parseRequestLine(bytes, start, limit, head)
  const result = block > 0 ? parseBlock(bytes, block, limit, head) : block
  return result === INCOMPLETE && limit < end ? HAND_OVER : result
}
