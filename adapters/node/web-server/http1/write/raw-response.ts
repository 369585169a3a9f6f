import { STATUS_CODES } from 'node:http'
import { plainText } from '../slow/plain-response.ts'

export const HEAD_TOO_SLOW = 'The request did not arrive in time. Try again.'
export const METHOD_TOO_LONG = 'The method is longer than any that there is.'
export const TARGET_TOO_LONG = 'The address is longer than this server takes.'
export const HEAD_TOO_LARGE = 'The request head is larger than this server takes.'
export const CHUNK_TOO_LARGE = 'The framing of the request body is larger than this server takes.'
export const MALFORMED = 'The request is not HTTP as RFC 9112 has it.'

const LF = 10
const CR = 13

/** The bytes of a short text answer after which the connection ends, for connections that no request can be read from. */
export const rawResponse = (status: number, text: string, httpDate: string): string => {
  const body = plainText(status, text)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\ndate: ${httpDate}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n${body}`
}

/** Whether not even the request line ends within `maxHeadBytes`. Empty lines before it count as part of it. */
export const isTargetTooLong = (bytes: Uint8Array, maxHeadBytes: number): boolean =>
  bytes.length > maxHeadBytes && !bytes.subarray(0, maxHeadBytes).includes(LF)

/** Whether the head that `bytes` begin takes more than `maxHeadBytes`, every byte counted. */
export const isHeadTooLong = (bytes: Uint8Array, maxHeadBytes: number): boolean => {
  if (bytes.length <= maxHeadBytes) return false
  const first = firstLine(bytes)
  for (let at = bytes.indexOf(LF); at !== -1 && at < maxHeadBytes; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1
    // Empty lines before the request line end no head.
    if (bytes[next] === LF && next < maxHeadBytes && at > first) return false
  }
  return true
}

/** Offset of the request line. */
const firstLine = (bytes: Uint8Array): number => {
  let at = 0
  while (bytes[at] === CR || bytes[at] === LF) at++
  return at
}
