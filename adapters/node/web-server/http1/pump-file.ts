import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { FileSource } from '../files/file-source.ts'
import { pieceBudget } from '../files/piece-budget.ts'
import { givePiece, takePiece } from '../files/piece-buffers.ts'
import { readFairly } from '../files/read-fairly.ts'
import { shrunk } from '../files/read-file-part.ts'
import { BodyError, noteSent } from './pump-body.ts'

/** The first piece, and every piece where many clients are slow. */
const FIRST_BYTES = 64 * 1024

/** Resolves when the socket has let go of the bytes; `release` is called then, whatever became of them. */
const writePiece = (socket: Socket, bytes: Buffer, release: () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => {
      release()
      if (error) reject(error)
      else resolve()
    })
  })

/**
 * Sends a file piece by piece: each is read when the kernel has the one before,
 * into a buffer that is used again only after the socket's callback, so what a
 * slow client has not taken is never overwritten. Who takes nothing holds one
 * small piece, and where many are slow all pieces are small. Others get their
 * turn after each piece. Closes the descriptor once, whatever happens; rejects
 * when the file is shorter than promised or the client left. Answers the bytes
 * sent.
 */
export const pumpFile = async (socket: Socket, source: FileSource): Promise<number> => {
  const fd = source.take()
  if (fd === null) throw new Error('The file was already sent.')
  const { start, end } = source.range
  let position = start
  try {
    while (position <= end) {
      const isPooled = position > start && pieceBudget.hasRoom()
      const buffer = isPooled ? takePiece() : Buffer.allocUnsafeSlow(FIRST_BYTES)
      pieceBudget.add(buffer.length)
      const release = (): void => {
        pieceBudget.remove(buffer.length)
        if (isPooled) givePiece(buffer)
      }
      let bytes: number
      try {
        const reading = readFairly(
          fd,
          buffer,
          Math.min(buffer.length, end - position + 1),
          position,
        )
        bytes = typeof reading === 'number' ? reading : await reading
        if (bytes === 0) throw shrunk()
        if (socket.destroyed) throw new BodyError('The client closed the connection.', true)
      } catch (error) {
        release()
        throw error
      }
      // Counted as it is given: who breaks off has had about as much.
      position += bytes
      const written = writePiece(socket, buffer.subarray(0, bytes), release)
      const isTakenAtOnce = socket.writableLength === 0
      await written
      // A closed socket drops what it was given, and calls that written.
      if (socket.destroyed) throw new BodyError('The client closed the connection.', true)
      if (isTakenAtOnce && position <= end) await setImmediate()
    }
    return position - start
  } catch (error) {
    noteSent(error, position - start)
    throw error
  } finally {
    closeSync(fd)
  }
}
