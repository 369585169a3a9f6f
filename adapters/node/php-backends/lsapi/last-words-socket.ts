import { readSync } from 'node:fs'
import { Socket } from 'node:net'

/** More than a unix socket holds. */
const MAX_LAST_BYTES = 4 * 2 ** 20
const PIECE_BYTES = 64 * 1024
const WRITE_FAILURES = new Set(['EPIPE', 'ECONNRESET'])

/** What arrived on a descriptor and was not read yet; stops at its end, or where it would wait. */
function* unread(fd: number): Generator<Buffer> {
  for (let size = 0; size < MAX_LAST_BYTES;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    let count: number
    try {
      count = readSync(fd, piece)
    } catch {
      return
    }
    if (count === 0) return
    size += count
    yield piece.subarray(0, count)
  }
}

/**
 * A socket that still delivers what had arrived when a write to it fails. lsphp
 * closes after its response, whether or not it has read the request's body: the
 * answer is there, while we are still sending.
 */
export class LastWordsSocket extends Socket {
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const code = error !== null && 'code' in error ? String(error.code) : ''
    const handle = (this as unknown as { _handle: { fd?: number } | null })._handle
    if (WRITE_FAILURES.has(code) && handle?.fd !== undefined && handle.fd >= 0) {
      const held: unknown = this.read()
      if (Buffer.isBuffer(held)) this.emit('data', held)
      for (const piece of unread(handle.fd)) this.emit('data', piece)
    }
    super._destroy(error, callback)
  }
}
