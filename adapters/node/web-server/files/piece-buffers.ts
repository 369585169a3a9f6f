/** Unused buffers that are kept for the next answers. */
const KEPT_BUFFERS = 16

const kept: Buffer[] = []

/** Size of a large piece of a file: it is read and written while it lies in the processor's cache. */
export const PIECE_BYTES = 384 * 1024

/**
 * A buffer of `PIECE_BYTES` with anything in it. A fresh one costs a page fault
 * for every 4 KiB, as much as what is read into it.
 */
export const takePiece = (): Buffer => kept.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)

/** Gives a buffer back that nobody holds any more. */
export const givePiece = (piece: Buffer): void => {
  if (kept.length < KEPT_BUFFERS) kept.push(piece)
}
