import { closeSync, read, readSync } from 'node:fs'
import type { ByteRange } from '#handlers/domain/byte-range.ts'

/** Files up to this are read at once, without a turn through the thread pool. */
const SMALL_BYTES = 64 * 1024
/** Pieces grow from the one to the other while the client takes them. */
const FIRST_BYTES = 64 * 1024
const MOST_BYTES = 1024 * 1024
/** What the pieces of all answers of a worker may hold before new ones stay small. */
const BUDGET_BYTES = 128 * 1024 * 1024

/** Bytes in pieces that clients have not taken yet. */
let heldBytes = 0

/** The file became shorter while it was sent. */
const shrunk = (): Error => new Error('The file became shorter while it was being sent.')

const readAt = (fd: number, buffer: Buffer, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, buffer, 0, buffer.length, position, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })

/** Reads `size` bytes at `position`; short only when the file is. */
const readSmall = (fd: number, position: number, size: number): Buffer => {
  const buffer = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const count = readSync(fd, buffer, filled, size - filled, position + filled)
    if (count === 0) throw shrunk()
    filled += count
  }
  return buffer
}

const smallStream = (fd: number, start: number, size: number): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      try {
        if (size > 0) controller.enqueue(readSmall(fd, start, size))
        controller.close()
      } catch (error) {
        controller.error(error)
      } finally {
        closeSync(fd)
      }
    },
  })

/**
 * Sends part of an open file and closes it at the end, on cancel and on error.
 * Large files go in pieces of up to 1 MB, the next being read while the last is
 * sent; memory per answer stays at two pieces whatever the size. Who takes
 * nothing holds a small one, and where many are slow all pieces are small and
 * none is read ahead. The buffers are not used again, since only the reader
 * knows when a piece has left.
 */
export const fileStream = (fd: number, { start, end }: ByteRange): ReadableStream<Uint8Array> => {
  const size = end - start + 1
  if (size <= SMALL_BYTES) return smallStream(fd, start, size)
  let position = start
  let open = true
  let cancelled = false
  let ahead: Promise<Buffer> | null = null
  let pieceBytes = FIRST_BYTES
  /** Of this answer: the piece that is being sent, and the one read ahead. */
  let sendingBytes = 0
  let aheadBytes = 0

  const close = (): void => {
    if (open) closeSync(fd)
    open = false
  }
  const release = (): void => {
    heldBytes -= sendingBytes + aheadBytes
    sendingBytes = 0
    aheadBytes = 0
  }
  const readNext = async (): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - position + 1))
    aheadBytes = buffer.length
    heldBytes += aheadBytes
    pieceBytes = heldBytes < BUDGET_BYTES ? Math.min(pieceBytes * 2, MOST_BYTES) : FIRST_BYTES
    const count = await readAt(fd, buffer, position)
    if (count === 0) throw shrunk()
    position += count
    return buffer.subarray(0, count)
  }
  const begin = (): Promise<Buffer> => {
    const reading = readNext()
    // Whoever takes the piece sees the error; until then nobody listens.
    reading.catch(() => undefined)
    return reading
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // Asked again: the piece before has left.
          heldBytes -= sendingBytes
          sendingBytes = 0
          if (ahead === null && position > end) return controller.close()
          const piece = await (ahead ??= begin())
          if (cancelled) return
          sendingBytes = aheadBytes
          aheadBytes = 0
          const more = position <= end
          ahead = more && heldBytes < BUDGET_BYTES ? begin() : null
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
      },
    },
    { highWaterMark: 0 },
  )
}
