import { closeSync, fstatSync, type Stats } from 'node:fs'
import type { BytePart } from '#edge-cache/index.ts'

/** Where the bytes of a body lie, for a writer that can do better than read a stream. */
export class FileSource {
  readonly range: BytePart
  #fd: number
  #isTaken = false

  constructor(fd: number, range: BytePart) {
    this.#fd = fd
    this.range = range
  }

  get sizeBytes(): number {
    return this.range.end - this.range.start + 1
  }

  /** Of the open file; null when somebody has its descriptor already. */
  stats(): Stats | null {
    return this.#isTaken ? null : fstatSync(this.#fd)
  }

  /** The descriptor, which the caller closes; null when somebody has it already. */
  take(): number | null {
    if (this.#isTaken) return null
    this.#isTaken = true
    return this.#fd
  }

  /** Closes the descriptor unless somebody took it. */
  close(): void {
    const fd = this.take()
    if (fd !== null) closeSync(fd)
  }
}

const sources = new WeakMap<ReadableStream, FileSource>()

/** Tells that `stream` gives what `source` holds, and nothing else. */
export const nameSource = (
  stream: ReadableStream<Uint8Array>,
  source: FileSource,
): ReadableStream<Uint8Array> => {
  sources.set(stream, source)
  return stream
}

/**
 * The file that a body comes from, where nothing stands between them and nobody
 * reads it yet. Whoever takes its descriptor sends the body instead of the stream.
 */
export const sourceOf = (body: ReadableStream<Uint8Array> | null): FileSource | null =>
  body === null || body.locked ? null : (sources.get(body) ?? null)
