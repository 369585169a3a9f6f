import type { ServerHttp2Stream } from 'node:http2'
import type { FileSource } from '../../files/file-source.ts'
import { BodyError } from '../../http1/write/pump-body.ts'
import { pumpPieces } from '../../http1/write/pump-pieces.ts'
import { SLICE_BYTES } from '../frames/slice-bytes.ts'

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
 * Sends a file as a stream's body, each piece slice by slice; see `pumpPieces`. The
 * first piece, and all where many clients are slow, are one slice. Rejects when the
 * stream ended before.
 */
export const pumpFileStream = (
  stream: ServerHttp2Stream,
  source: FileSource,
  onProgress: () => void,
): Promise<number> =>
  pumpPieces(source, SLICE_BYTES, async (bytes, count) => {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES)
      count(slice.length)
      onProgress()
      await writeSlice(stream, slice)
    }
    return false
  })
