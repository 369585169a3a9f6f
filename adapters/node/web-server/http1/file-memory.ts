import type { HotFile } from './hot-file.ts'

/** What an entry takes beside its body, about: heads, fields, key. */
const OVERHEAD_BYTES = 4096
/** An entry that nobody asks for is forgotten after two of these at the latest, if anything is kept at all. */
const GENERATION_MS = 30_000

/**
 * Answers with files, by key. Two generations bound the memory: what was not
 * asked for while a whole generation filled up, or grew old, is forgotten.
 */
export class FileMemory {
  readonly #generationBytes: number
  #young = new Map<string, HotFile>()
  #old = new Map<string, HotFile>()
  #youngBytes = 0
  #sinceMs = 0

  /** `limitBytes`: about the most that all of them may take, bodies copied behind heads included. */
  constructor(limitBytes: number) {
    this.#generationBytes = limitBytes / 2
  }

  get(key: string): HotFile | null {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old === undefined) return null
    this.#admit(key, old, this.#sinceMs)
    return old
  }

  put(key: string, file: HotFile, nowMs: number): void {
    const before = this.#young.get(key)
    if (before !== undefined) this.#forget(key, before)
    this.#admit(key, file, nowMs)
  }

  delete(key: string): void {
    const young = this.#young.get(key)
    if (young !== undefined) this.#forget(key, young)
    this.#old.delete(key)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  #admit(key: string, file: HotFile, nowMs: number): void {
    const bytes = sizeOf(file)
    if (bytes > this.#generationBytes) return
    const isFull = this.#youngBytes + bytes > this.#generationBytes
    if (isFull || nowMs - this.#sinceMs >= GENERATION_MS) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
      this.#sinceMs = nowMs
    }
    this.#old.delete(key)
    this.#young.set(key, file)
    this.#youngBytes += bytes
  }

  #forget(key: string, file: HotFile): void {
    this.#young.delete(key)
    this.#youngBytes -= sizeOf(file)
  }
}

/** The body, and its copy behind a head. */
const sizeOf = ({ body }: HotFile): number => 2 * body.length + OVERHEAD_BYTES
