import { read, readSync } from 'node:fs'
import type { BytePart } from '#edge-cache/index.ts'

/** Files up to this are read at once, without a turn through the thread pool. */
export const SMALL_BYTES = 64 * 1024

/** The file became shorter while it was sent. */
export const shrunk = (): Error => new Error('The file became shorter while it was being sent.')

/** Reads what is there at `position`, at most `size` bytes; 0 at the end of the file. */
export const readAt = (
  fd: number,
  buffer: Buffer,
  offset: number,
  size: number,
  position: number,
): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, buffer, offset, size, position, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })

/** Reads a whole part of a file. Rejects when the file is shorter. */
export const readFilePart = async (
  fd: number,
  { start, end }: BytePart,
): Promise<Buffer<ArrayBuffer>> => {
  const size = end - start + 1
  const buffer = Buffer.allocUnsafeSlow(size)
  for (let filled = 0; filled < size;) {
    const left = size - filled
    const count =
      size <= SMALL_BYTES
        ? readSync(fd, buffer, filled, left, start + filled)
        : await readAt(fd, buffer, filled, left, start + filled)
    if (count === 0) throw shrunk()
    filled += count
  }
  return buffer
}

/**
 * A part of an open file, in pieces that are read when they are asked for. The
 * descriptor stays open. Fails when the file is shorter.
 */
export const readPieces = (
  fd: number,
  { start, end }: BytePart,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let position = start
  return new ReadableStream(
    {
      async pull(controller) {
        const to = Math.min(end, position + SMALL_BYTES - 1)
        controller.enqueue(await readFilePart(fd, { start: position, end: to }))
        position = to + 1
        if (position > end) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
