const BLOCK_BYTES = 256 * 1024

/**
 * Room for bytes that are put together for a single write. What the system took
 * at once is given back, so that answers of any number of pages allocate nothing;
 * what a socket still holds is never touched again, and goes with its block.
 */
export class WriteScratch {
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  #used = 0

  /** So many bytes, at most `BLOCK_BYTES`, with anything in them. */
  take(sizeBytes: number): Buffer {
    if (this.#used + sizeBytes > BLOCK_BYTES) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      this.#used = 0
    }
    this.#used += sizeBytes
    return this.#block.subarray(this.#used - sizeBytes, this.#used)
  }

  /** Takes back the bytes that were taken last; nobody may read them any more. */
  giveBack(bytes: Buffer): void {
    const isLast = bytes.buffer === this.#block.buffer
    if (isLast && bytes.byteOffset + bytes.length === this.#used) this.#used = bytes.byteOffset
  }
}
