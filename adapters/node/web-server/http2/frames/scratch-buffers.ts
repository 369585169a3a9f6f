/** What a room holds at most, and how many of them a worker has. */
const ROOM_BYTES = 524_288
const MAX_ROOMS = 16
/** Less is not worth a room. */
const SMALL_BYTES = 4096

const free: Buffer[] = []
let rooms = 0

/**
 * Memory for what is about to be written, to be given back when it was: where each
 * write has fresh memory, garbage is collected all the time.
 */
export const takeRoom = (bytes: number): Buffer => {
  if (bytes < SMALL_BYTES || bytes > ROOM_BYTES) return Buffer.allocUnsafe(bytes)
  const room = free.pop()
  if (room !== undefined) return room.subarray(0, bytes)
  if (rooms >= MAX_ROOMS) return Buffer.allocUnsafe(bytes)
  rooms++
  return Buffer.allocUnsafeSlow(ROOM_BYTES).subarray(0, bytes)
}

/** The chunks in one piece, in such memory. */
export const joinInRoom = (chunks: readonly Buffer[]): Buffer => {
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  const room = takeRoom(bytes)
  let at = 0
  for (const chunk of chunks) {
    room.set(chunk, at)
    at += chunk.length
  }
  return room
}

/** Nobody reads it any more. Once for each that was taken. */
export const giveBack = ({ buffer }: Buffer): void => {
  const isRoom = buffer.byteLength === ROOM_BYTES && free.length < rooms
  if (isRoom) free.push(Buffer.from(buffer, 0, ROOM_BYTES))
}
