import type { Socket } from 'node:net'
import type { FileSource } from '../../files/file-source.ts'
import { BodyError } from './pump-body.ts'
import { pumpPieces } from './pump-pieces.ts'

/** The first piece, and every piece where many clients are slow. */
const FIRST_BYTES = 64 * 1024

const refuseGone = (socket: Socket): void => {
  if (socket.destroyed) throw new BodyError('The client closed the connection.', true)
}

/** Resolves when the socket has let go of the bytes. */
const writePiece = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })

/**
 * Sends a file over a connection; see `pumpPieces`. Who takes nothing holds one
 * small piece, and where many are slow all pieces are small. Others get their turn
 * after each piece that the kernel took at once. Rejects when the client left.
 */
export const pumpFile = (socket: Socket, source: FileSource): Promise<number> =>
  pumpPieces(source, FIRST_BYTES, async (bytes, count) => {
    refuseGone(socket)
    count(bytes.length)
    const written = writePiece(socket, bytes)
    const isTakenAtOnce = socket.writableLength === 0
    await written
    // A closed socket drops what it was given, and calls that written.
    refuseGone(socket)
    return isTakenAtOnce
  })
