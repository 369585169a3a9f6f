import { closeSync } from 'node:fs'
import type { ServerHttp2Stream } from 'node:http2'
import type { FileSource } from '../files/file-source.ts'
import { pieceBudget } from '../files/piece-budget.ts'
import { givePiece, takePiece } from '../files/piece-buffers.ts'
import { readFairly } from '../files/read-fairly.ts'
import { shrunk } from '../files/read-file-part.ts'
import { BodyError, noteSent } from '../http1/pump-body.ts'
import { SLICE_BYTES } from './slice-bytes.ts'

/** Resolves when the session has let go of the bytes; rejects when the stream ended before. */
const writeSlice = (stream: ServerHttp2Stream, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const onClose = (): void => reject(new BodyError('The client closed the stream.', true))
    if (stream.destroyed) return onClose()
    stream.on('close', onClose)
    stream.write(bytes, (error) => {
      stream.off('close', onClose)
      if (error) onClose()
      else resolve()
    })
  })

/**
 * Sends a file as a stream's body, as `pumpFile` does: pieces in buffers that are
 * used again, so that a long download makes no garbage of its own length; the
 * first, and all where many clients are slow, are one slice. A piece
 * that was broken off in the middle is not used again, since the session may
 * still hold it. Closes the descriptor once, whatever happens; rejects when the
 * file is shorter than promised or the client left. Answers the bytes sent.
 */
export const pumpFileStream = async (
  stream: ServerHttp2Stream,
  source: FileSource,
  onProgress: () => void,
): Promise<number> => {
  const fd = source.take()
  if (fd === null) throw new Error('The file was already sent.')
  const { start, end } = source.range
  let position = start
  try {
    while (position <= end) {
      const isPooled = position > start && pieceBudget.hasRoom()
      const buffer = isPooled ? takePiece() : Buffer.allocUnsafeSlow(SLICE_BYTES)
      pieceBudget.add(buffer.length)
      try {
        const size = Math.min(buffer.length, end - position + 1)
        const reading = readFairly(fd, buffer, size, position)
        const bytes = typeof reading === 'number' ? reading : await reading
        if (bytes === 0) throw shrunk()
        for (let at = 0; at < bytes; at += SLICE_BYTES) {
          const slice = buffer.subarray(at, Math.min(at + SLICE_BYTES, bytes))
          // Counted as it is given: who breaks off has had about as much.
          position += slice.length
          onProgress()
          await writeSlice(stream, slice)
        }
      } finally {
        pieceBudget.remove(buffer.length)
      }
      if (isPooled) givePiece(buffer)
    }
    return position - start
  } catch (error) {
    noteSent(error, position - start)
    throw error
  } finally {
    closeSync(fd)
  }
}
