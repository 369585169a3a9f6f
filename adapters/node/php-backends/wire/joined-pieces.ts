/**
 * Parts of one chunk after another, moved together within it, so that they can be
 * passed on as one piece. What stands between them in the chunk is overwritten.
 */
export class JoinedPieces {
  #chunk: Buffer<ArrayBuffer> | null = null
  #start = 0
  #end = 0

  /** Adds `count` bytes of `chunk` from `at`, behind all that was added of it; all until `take` are of one chunk. */
  add(chunk: Buffer<ArrayBuffer>, at: number, count: number): void {
    if (this.#chunk === null) {
      this.#chunk = chunk
      this.#start = at
      this.#end = at
    } else chunk.copyWithin(this.#end, at, at + count)
    this.#end += count
  }

  /** What was added since the last time; null: nothing. */
  take(): Buffer<ArrayBuffer> | null {
    const chunk = this.#chunk
    this.#chunk = null
    return chunk === null ? null : chunk.subarray(this.#start, this.#end)
  }
}
