/** What goes on to the session, of the chunk that is being read. */
export class SessionInput {
  #chunks: Buffer[] = []

  /** Bytes that were made here. */
  add(bytes: Buffer): void {
    this.#chunks.push(bytes)
  }

  /** A frame as it came; frames that follow each other in memory go as one piece. */
  pass(bytes: Buffer, start: number, end: number): void {
    const last = this.#chunks.at(-1)
    const follows =
      last?.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset + start
    if (last === undefined || !follows) return this.add(bytes.subarray(start, end))
    const from = start - last.length
    if (from < 0) return this.add(bytes.subarray(start, end))
    this.#chunks[this.#chunks.length - 1] = bytes.subarray(from, end)
  }

  /** All since the last call. */
  take(): Buffer[] {
    const taken = this.#chunks
    this.#chunks = []
    return taken
  }
}
