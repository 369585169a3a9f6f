import type { FastFile } from './fast-file.ts'

/** What an entry takes beside its body, about: heads, fields, key. */
const OVERHEAD_BYTES = 4096
/** An entry that nobody asks for is forgotten after two of these at the latest, if anything is kept at all. */
const GENERATION_MS = 30_000

/** What was put together, to be forgotten together. */
class Generation {
  /** By shelf, host and path: texts that requests have at hand, with their hashes; to join them costs more than to look twice. */
  readonly #shelves: Map<string, Map<string, FastFile>>[] = []
  bytes = 0
  count = 0

  get(shelf: number, host: string, path: string): FastFile | undefined {
    return this.#shelves[shelf]?.get(host)?.get(path)
  }

  put(shelf: number, host: string, path: string, file: FastFile): void {
    const hosts = (this.#shelves[shelf] ??= new Map())
    let paths = hosts.get(host)
    if (paths === undefined) hosts.set(host, (paths = new Map()))
    paths.set(path, file)
    this.bytes += sizeOf(file)
    this.count++
  }

  delete(shelf: number, host: string, path: string): void {
    const hosts = this.#shelves[shelf]
    const paths = hosts?.get(host)
    const file = paths?.get(path)
    if (hosts === undefined || paths === undefined || file === undefined) return
    paths.delete(path)
    if (paths.size === 0) hosts.delete(host)
    this.bytes -= sizeOf(file)
    this.count--
  }
}

/**
 * Answers with files, by a small number (`shelf`), the name asked for and the
 * path. Two generations bound the memory: what was not asked for while a whole
 * generation filled up, or grew old, is forgotten.
 */
export class FileMemory {
  readonly #generationBytes: number
  #young = new Generation()
  #old = new Generation()
  #sinceMs = 0

  /** `limitBytes`: about the most that all of them may take, bodies copied behind heads included. */
  constructor(limitBytes: number) {
    this.#generationBytes = limitBytes / 2
  }

  get(shelf: number, host: string, path: string): FastFile | null {
    const young = this.#young.get(shelf, host, path)
    if (young !== undefined) return young
    const old = this.#old.get(shelf, host, path)
    if (old === undefined) return null
    this.#admit(shelf, host, path, old, this.#sinceMs)
    return old
  }

  put(shelf: number, host: string, path: string, file: FastFile, nowMs: number): void {
    this.#young.delete(shelf, host, path)
    this.#admit(shelf, host, path, file, nowMs)
  }

  delete(shelf: number, host: string, path: string): void {
    this.#young.delete(shelf, host, path)
    this.#old.delete(shelf, host, path)
  }

  get size(): number {
    return this.#young.count + this.#old.count
  }

  #admit(shelf: number, host: string, path: string, file: FastFile, nowMs: number): void {
    const bytes = sizeOf(file)
    if (bytes > this.#generationBytes) return
    const isFull = this.#young.bytes + bytes > this.#generationBytes
    if (isFull || nowMs - this.#sinceMs >= GENERATION_MS) {
      this.#old = this.#young
      this.#young = new Generation()
      this.#sinceMs = nowMs
    }
    this.#old.delete(shelf, host, path)
    this.#young.put(shelf, host, path, file)
  }
}

/** The body, and its copy behind a head. */
const sizeOf = ({ body }: FastFile): number => 2 * body.length + OVERHEAD_BYTES
