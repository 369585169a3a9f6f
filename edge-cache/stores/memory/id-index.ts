/** A power of two. */
const PARTS = 256

/** Any number that the id always has; every other character tells ids of a site well enough apart. */
const partOf = (id: string): number => {
  let hash = id.length
  for (let at = id.length - 1; at >= 0; at -= 2) hash = (31 * hash + id.charCodeAt(at)) | 0
  return (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (PARTS - 1)
}

/**
 * Numbers by id, in many small maps: one of a million ids takes a tenth of a second
 * and more whenever it grows, in which nobody is answered.
 */
export class IdIndex {
  readonly #parts = Array.from({ length: PARTS }, () => new Map<string, number>())
  #size = 0

  /** How many ids there are. */
  get size(): number {
    return this.#size
  }

  /** Undefined for an id that is not here. */
  get(id: string): number | undefined {
    return this.#parts[partOf(id)]?.get(id)
  }

  /** Replaces the number that the id had. */
  set(id: string, value: number): void {
    const part = this.#parts[partOf(id)]
    if (part === undefined) return
    const before = part.size
    part.set(id, value)
    this.#size += part.size - before
  }

  /** Not here: no error. */
  delete(id: string): void {
    if (this.#parts[partOf(id)]?.delete(id) === true) this.#size--
  }
}
