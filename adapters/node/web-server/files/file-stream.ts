import { closeSync } from 'node:fs'
import type { BytePart } from '#edge-cache/index.ts'
import { FileSource, nameSource } from './file-source.ts'
import { pieceBudget } from './piece-budget.ts'
import { readAt, readFilePart, shrunk, SMALL_BYTES } from './read-file-part.ts'

/** Pieces grow from the one to the other while the client takes them. */
const FIRST_BYTES = 64 * 1024
const MOST_BYTES = 1024 * 1024

const smallStream = (source: FileSource): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const fd = source.take()
        if (fd === null) throw new Error('The file was already sent.')
        try {
          if (source.sizeBytes > 0) controller.enqueue(await readFilePart(fd, source.range))
          controller.close()
        } finally {
          closeSync(fd)
        }
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  )

/**
 * Sends part of an open file and closes it at the end, on cancel and on error.
 * Large files go in pieces of up to 1 MB, the next being read while the last is
 * sent; memory per answer stays at two pieces whatever the size. Who takes
 * nothing holds a small one, and where many are slow all pieces are small and
 * none is read ahead. The buffers are not used again, since only the reader
 * knows when a piece has left; a writer that knows takes the stream's `sourceOf`
 * instead, before anybody reads the stream.
 */
export const fileStream = (fd: number, range: BytePart): ReadableStream<Uint8Array> => {
  const source = new FileSource(fd, range)
  const stream = source.sizeBytes <= SMALL_BYTES ? smallStream(source) : largeStream(source)
  return nameSource(stream, source)
}

const largeStream = (source: FileSource): ReadableStream<Uint8Array> => {
  const { start, end } = source.range
  let position = start
  /** Ours from the first piece on. */
  let fd: number | null = null
  let cancelled = false
  let ahead: Promise<Buffer> | null = null
  let pieceBytes = FIRST_BYTES
  /** Of this response: the piece that is being sent, and the one read ahead. */
  let sendingBytes = 0
  let aheadBytes = 0

  const close = (): void => {
    if (fd !== null) closeSync(fd)
    fd = null
  }
  const release = (): void => {
    pieceBudget.remove(sendingBytes + aheadBytes)
    sendingBytes = 0
    aheadBytes = 0
  }
  const readNext = async (from: number): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - position + 1))
    aheadBytes = buffer.length
    pieceBudget.add(aheadBytes)
    pieceBytes = pieceBudget.hasRoom() ? Math.min(pieceBytes * 2, MOST_BYTES) : FIRST_BYTES
    const count = await readAt(from, buffer, 0, buffer.length, position)
    if (count === 0) throw shrunk()
    position += count
    return buffer.subarray(0, count)
  }
  const begin = (): Promise<Buffer> => {
    fd ??= source.take()
    if (fd === null) return Promise.reject(new Error('The file was already sent.'))
    const reading = readNext(fd)
    // Whoever takes the piece sees the error; until then nobody listens.
    reading.catch(() => undefined)
    return reading
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // Asked again: the piece before has left.
          pieceBudget.remove(sendingBytes)
          sendingBytes = 0
          if (ahead === null && position > end) return controller.close()
          const piece = await (ahead ??= begin())
          if (cancelled) return
          sendingBytes = aheadBytes
          aheadBytes = 0
          const more = position <= end
          ahead = more && pieceBudget.hasRoom() ? begin() : null
          controller.enqueue(piece)
          if (!more) close()
        } catch (error) {
          release()
          close()
          controller.error(error)
        }
      },
      async cancel() {
        cancelled = true
        // A descriptor must not be closed, and reused, under a read.
        await ahead?.catch(() => undefined)
        release()
        close()
        source.close()
      },
    },
    { highWaterMark: 0 },
  )
}
