import { Socket } from 'node:net'

/** As much as the system gives of a socket at once. */
const ROOM_BYTES = 65_536

/**
 * What is read of all connections stands here while it is judged. The system's side
 * of a socket knows only the address, so this must live as long as the process.
 */
const room = Buffer.allocUnsafeSlow(ROOM_BYTES)

/** Clients repeat their requests, so a view of the same length is mostly wanted again. */
let view = room.subarray(0, 0)

const viewOf = (length: number): Buffer => {
  if (view.length !== length) view = room.subarray(0, length)
  return view
}

/** Where a socket keeps the buffer that `onread` (an option of outgoing connections) gave it, and whom it tells. */
interface Places {
  buffer: symbol
  callback: symbol
}

const findPlaces = (): Places | null => {
  const symbols = Object.getOwnPropertySymbols(new Socket())
  const named = (name: string): symbol | undefined =>
    symbols.find(({ description }) => description === name)
  const buffer = named('kBuffer')
  const callback = named('kBufferCb')
  return buffer === undefined || callback === undefined ? null : { buffer, callback }
}

const places = findPlaces()

/**
 * From its next bytes on an accepted connection is read into one room that all
 * connections share, instead of a buffer of 64 KB made and dropped for each read,
 * which costs about a tenth of a hit. It is what `onread` of `net.connect` does;
 * an accepted socket has it only inside, so it is used where it is found as
 * expected, and otherwise false is returned and the socket gives `data` as before.
 *
 * `take` gets the bytes, which are there until it returns; what it wants to keep
 * it must copy. Its response says whether to read on, as that of `push`.
 */
export const readShared = (socket: Socket, take: (bytes: Buffer) => boolean): boolean => {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (places === null || typeof handle !== 'object' || handle === null) return false
  const use: unknown = Reflect.get(handle, 'useUserBuffer')
  if (typeof use !== 'function' || Reflect.get(socket, places.buffer) !== null) return false
  // Bytes that wait in the stream would come after those that follow them.
  if (socket.readableLength > 0) return false
  Reflect.apply(use, handle, [room])
  Reflect.set(socket, places.callback, (length: number): boolean => take(viewOf(length)))
  return Reflect.set(socket, places.buffer, room)
}
