import { closeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { FileSource } from '../../files/file-source.ts'
import { pieceBudget } from '../../files/piece-budget.ts'
import { givePiece, takePiece } from '../../files/piece-buffers.ts'
import { readFairly } from '../../files/read-fairly.ts'
import { shrunk } from '../../files/read-file-part.ts'
import { noteSent } from './pump-body.ts'

/**
 * Gives a piece to the client, and resolves when nobody holds its bytes any more,
 * with whether others must get their turn before the next one. `count` is told of
 * bytes as they are given: who breaks off has had about as much.
 */
export type SendPiece = (bytes: Buffer, count: (bytes: number) => void) => Promise<boolean>

/**
 * Sends a file piece by piece: each is read when the one before was taken, into a
 * buffer that is used again only then, so what a slow client has not taken is never
 * overwritten, and a long download makes no garbage of its own length. The buffer
 * of a piece that failed is not used again, since somebody may still hold it. The
 * first piece has `smallBytes`, and every one where many clients are slow. Closes
 * the descriptor once, whatever happens; rejects when the file is shorter than
 * promised, or as `send` does. Answers the bytes sent.
 */
export const pumpPieces = async (
  source: FileSource,
  smallBytes: number,
  send: SendPiece,
): Promise<number> => {
  const fd = source.take()
  if (fd === null) throw new Error('The file was already sent.')
  const { start, end } = source.range
  let sent = 0
  const count = (bytes: number): void => {
    sent += bytes
  }
  try {
    for (let position = start; position <= end;) {
      const isPooled = position > start && pieceBudget.hasRoom()
      const buffer = isPooled ? takePiece() : Buffer.allocUnsafeSlow(smallBytes)
      pieceBudget.add(buffer.length)
      let yields: boolean
      try {
        const size = Math.min(buffer.length, end - position + 1)
        const reading = readFairly(fd, buffer, size, position)
        const bytes = typeof reading === 'number' ? reading : await reading
        if (bytes === 0) throw shrunk()
        position += bytes
        yields = await send(buffer.subarray(0, bytes), count)
      } finally {
        pieceBudget.remove(buffer.length)
      }
      if (isPooled) givePiece(buffer)
      if (yields && position <= end) await setImmediate()
    }
    return sent
  } catch (error) {
    noteSent(error, sent)
    throw error
  } finally {
    closeSync(fd)
  }
}
