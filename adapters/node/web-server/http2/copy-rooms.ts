/** Longest text that a room holds, and how many rooms the worker keeps. */
const ROOM_BYTES = 524_288
const MAX_KEPT = 8
/** Less is not worth a room. */
const SMALL_BYTES = 4096

const kept: Buffer[] = []

/** The chunks in one piece, in memory that is used again after `giveBack`: fresh memory for each makes garbage be collected all the time. */
export const joinInRoom = (chunks: readonly Buffer[]): Buffer => {
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  if (bytes < SMALL_BYTES || bytes > ROOM_BYTES) return Buffer.concat(chunks, bytes)
  const room = kept.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES)
  let at = 0
  for (const chunk of chunks) {
    room.set(chunk, at)
    at += chunk.length
  }
  return room.subarray(0, bytes)
}

/** Nobody reads the piece any more. */
export const giveBack = (piece: Buffer): void => {
  if (piece.buffer.byteLength !== ROOM_BYTES || kept.length >= MAX_KEPT) return
  kept.push(Buffer.from(piece.buffer, 0, ROOM_BYTES))
}
