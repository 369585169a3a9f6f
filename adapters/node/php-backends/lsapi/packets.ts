/**
 * LSAPI, as lsphp speaks it (PHP's own sapi/litespeed). Both ends run on one
 * machine: numbers are the processor's, which is little-endian wherever Node
 * and lsphp meet.
 */

/** Kinds of packets, the fourth part of a packet's head. */
export const PACKET = {
  beginRequest: 1,
  responseHead: 3,
  responseBody: 4,
  responseEnd: 5,
  stderr: 6,
  /** The request was taken; says nothing of the response. */
  requestReceived: 7,
  /** lsphp closes the connection. */
  connectionClose: 8,
  internalError: 9,
} as const

/** 'L', 'S', kind, flags, then the packet's length in 32 bits, this head included. */
export const PACKET_HEAD_BYTES = 8
/** lsphp closes the connection on a longer request head. */
export const MAX_REQUEST_HEAD_BYTES = 65_535

/** The flag names the byte order, but lsphp takes every processor that is not x86 for big-endian. */
const ORDER_FLAG = process.arch === 'x64' || process.arch === 'ia32' ? 0 : 1

/** Writes the head of a packet of `bytes` in all. */
export const writePacketHead = (target: Buffer, kind: number, bytes: number): void => {
  target.write('LS', 0, 'latin1')
  target[2] = kind
  target[3] = ORDER_FLAG
  target.writeInt32LE(bytes, 4)
}
