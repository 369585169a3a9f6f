import { closeSync, fstatSync, openSync, renameSync, statSync, write, writeSync } from 'node:fs'

const BUFFER_BYTES = 1_048_576
/** Mode of log files: owner writes, group reads. */
const LOG_MODE = 0o640

/**
 * Appends lines to a file through two fixed buffers that swap at each flush, so
 * that a line costs one copy and no allocation. Lines are latin1. A line longer
 * than a buffer is dropped; when the disk cannot keep up the process waits
 * rather than lose lines.
 */
export class LogBuffer {
  readonly #file: string
  readonly #onError: (error: Error) => void
  #fd: number
  #filling: Buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #spare: Buffer | null = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #length = 0
  readonly #timer: NodeJS.Timeout
  readonly #maxBytes: number
  #checkedMs = 0

  /**
   * Opens (creates) `file`; throws when it cannot. `flushMs` (default 500) bounds
   * how old an unwritten line gets. A file larger than `maxBytes` (default: no
   * limit) becomes `<file>.1`, whichever of the processes that write it sees it.
   */
  constructor(
    file: string,
    onError: (error: Error) => void,
    options: { flushMs?: number; maxBytes?: number } = {},
  ) {
    const { flushMs = 500, maxBytes = Infinity } = options
    this.#maxBytes = maxBytes
    this.#file = file
    this.#onError = onError
    this.#fd = openSync(file, 'a', LOG_MODE)
    this.#timer = setInterval(() => this.#flush(), flushMs)
    this.#timer.unref()
  }

  /** Takes one line with its line end. */
  append(line: string): void {
    const at = this.claim(line.length)
    if (at !== -1) this.#filling.write(line, at, 'latin1')
  }

  /** Where claimed lines are written; another buffer after every `claim`. */
  get room(): Uint8Array {
    return this.#filling
  }

  /**
   * Takes a line of `length` bytes, line end included, that the caller writes into
   * `room` before it does anything else. Answers where it begins; -1 for a line
   * that is too long.
   */
  claim(length: number): number {
    if (length > BUFFER_BYTES) return -1
    if (this.#length + length > BUFFER_BYTES) this.#flush()
    if (this.#length + length > BUFFER_BYTES) this.flushSync()
    const at = this.#length
    this.#length += length
    return at
  }

  /** Writes what is held at once; for the end of the process. */
  flushSync(): void {
    if (this.#length === 0) return
    try {
      writeSync(this.#fd, this.#filling, 0, this.#length)
    } catch (error) {
      this.#onError(error as Error)
    }
    this.#length = 0
  }

  /** Opens the file anew after it was rotated away. */
  reopen(): void {
    this.flushSync()
    try {
      const fd = openSync(this.#file, 'a', LOG_MODE)
      const old = this.#fd
      this.#fd = fd
      // A flush under way still uses the old descriptor.
      setTimeout(() => closeSync(old), 5000).unref()
    } catch (error) {
      this.#onError(error as Error)
    }
  }

  /** Writes the rest; resolves when nothing is under way any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    while (this.#spare === null) await new Promise((resolve) => setTimeout(resolve, 5))
    this.flushSync()
  }

  /** Rotates, or follows the file when another process has done it. Looks once a second. */
  #rotate(): void {
    const now = performance.now()
    if (this.#maxBytes === Infinity || now - this.#checkedMs < 1000) return
    this.#checkedMs = now
    try {
      const mine = fstatSync(this.#fd)
      const named = statSync(this.#file, { throwIfNoEntry: false })
      if (named?.ino === mine.ino) {
        if (mine.size <= this.#maxBytes) return
        renameSync(this.#file, `${this.#file}.1`)
      }
      this.reopen()
    } catch (error) {
      this.#onError(error as Error)
    }
  }

  #flush(): void {
    this.#rotate()
    const spare = this.#spare
    if (this.#length === 0 || spare === null) return
    const full = this.#filling
    const length = this.#length
    this.#filling = spare
    this.#spare = null
    this.#length = 0
    this.#writeAll(full, 0, length)
  }

  #writeAll(buffer: Buffer, from: number, to: number): void {
    write(this.#fd, buffer, from, to - from, null, (error, written) => {
      if (error) this.#onError(error)
      else if (from + written < to) return this.#writeAll(buffer, from + written, to)
      this.#spare = buffer
    })
  }
}
