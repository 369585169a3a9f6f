import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { FileHandle } from 'node:fs/promises'

/** A compressed log that is larger than this is not read: each page of it costs all of it. */
export const MAX_INFLATED_BYTES = 256 * 2 ** 20

/** The last bytes of an inflated file, or of its part before a place. */
export interface GzipWindow {
  bytes: Buffer
  /** Where `bytes` begins in the inflated file. */
  start: number
}

class Enough extends Error {}

/** Keeps the last `maxBytes` of what is written to it, in the pieces it came in. */
class LastBytes extends Writable {
  readonly #maxBytes: number
  readonly #before: number
  #pieces: Buffer[] = []
  #held = 0
  #passed = 0

  constructor(maxBytes: number, before: number) {
    super()
    this.#maxBytes = maxBytes
    this.#before = before
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    const piece = chunk.subarray(0, Math.max(0, this.#before - this.#passed))
    this.#passed += piece.length
    this.#pieces.push(Buffer.from(piece))
    this.#held += piece.length
    while (this.#held - (this.#pieces[0]?.length ?? 0) >= this.#maxBytes) {
      this.#held -= this.#pieces.shift()?.length ?? 0
    }
    const over = this.#passed > MAX_INFLATED_BYTES || this.#passed >= this.#before
    done(over ? new Enough() : undefined)
  }

  window(): GzipWindow | null {
    if (this.#passed > MAX_INFLATED_BYTES) return null
    const bytes = Buffer.concat(this.#pieces).subarray(-this.#maxBytes)
    return { bytes, start: this.#passed - bytes.length }
  }
}

/** The last `maxBytes` before `before` (Infinity: the end) of a compressed file; null when it is too large or damaged. */
export const gzipWindow = async (
  handle: FileHandle,
  before: number,
  maxBytes: number,
): Promise<GzipWindow | null> => {
  const sink = new LastBytes(maxBytes, before)
  try {
    await pipeline(handle.createReadStream({ start: 0, autoClose: false }), createGunzip(), sink)
  } catch (error) {
    if (!(error instanceof Enough)) return null
  }
  return sink.window()
}
