import { closeSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { FileSource } from '../files/file-source.ts'
import { pieceBudget } from '../files/piece-budget.ts'
import { givePiece, takePiece } from '../files/piece-buffers.ts'
import { readAt, shrunk } from '../files/read-file-part.ts'
import { BodyError, noteSent } from './pump-body.ts'

/** The first piece, and every piece where many clients are slow. */
const FIRST_BYTES = 64 * 1024

const gone = (): Error => new BodyError('The client closed the connection.', true)

/** A part of the file in memory. */
interface Piece {
  buffer: Buffer
  bytes: number
  isPooled: boolean
}

/**
 * Sends a file: two buffers, of which one is read into while the kernel takes the
 * other. A buffer is used again only after the socket's callback, so what a slow
 * client has not taken is never overwritten. Who takes nothing holds one small
 * piece, and where many are slow all pieces are small and none is read ahead.
 * Closes the descriptor once, whatever happens; rejects when the file is shorter
 * than promised or the client left. Answers the bytes sent.
 */
export const pumpFile = async (socket: Socket, source: FileSource): Promise<number> => {
  const fd = source.take()
  if (fd === null) throw new Error('The file was already sent.')
  const { start, end } = source.range
  let position = start
  let sent = 0
  /** None that the socket holds: those are given back by their callbacks. */
  let ahead: Promise<Piece> | null = null

  const release = ({ buffer, isPooled }: Piece): void => {
    pieceBudget.remove(buffer.length)
    if (isPooled) givePiece(buffer)
  }
  const readNext = async (): Promise<Piece> => {
    const isPooled = position > start && pieceBudget.hasRoom()
    const buffer = isPooled ? takePiece() : Buffer.allocUnsafeSlow(FIRST_BYTES)
    const piece = { buffer, bytes: 0, isPooled }
    pieceBudget.add(buffer.length)
    try {
      const wanted = Math.min(buffer.length, end - position + 1)
      piece.bytes = await readAt(fd, buffer, 0, wanted, position)
      if (piece.bytes === 0) throw shrunk()
      position += piece.bytes
      return piece
    } catch (error) {
      release(piece)
      throw error
    }
  }
  const write = (piece: Piece): Promise<void> =>
    new Promise((resolve, reject) => {
      const bytes = piece.buffer.subarray(0, piece.bytes)
      socket.write(bytes, (error) => {
        release(piece)
        if (error) reject(error)
        else resolve()
      })
    })

  try {
    for (ahead = readNext(); ahead !== null;) {
      const piece = await ahead
      ahead = null
      if (socket.destroyed) {
        release(piece)
        throw gone()
      }
      const written = write(piece)
      // Whoever waits sees the error; until then nobody listens.
      written.catch(() => undefined)
      if (position <= end && pieceBudget.hasRoom()) {
        ahead = readNext()
        ahead.catch(() => undefined)
      }
      await written
      sent += piece.bytes
      // A closed socket drops what it was given, and calls that written.
      if (socket.destroyed) throw gone()
      if (ahead === null && position <= end) ahead = readNext()
    }
    return sent
  } catch (error) {
    noteSent(error, sent)
    throw error
  } finally {
    // A descriptor must not be closed, and reused, under a read.
    if (ahead !== null) await ahead.then(release, () => undefined)
    closeSync(fd)
  }
}
