import type { CacheEntry } from '../types.ts'

/** No place: the end of a list. */
export const NOWHERE = -1

const FIRST_PLACES = 1024

/**
 * Where the memory layer notes what it must know of its entries, in columns of
 * numbers: an object for each of a million would be memory, and time at every
 * collection of garbage. A place is a row of all columns; those in use form a list
 * by age, the others one of free places.
 */
export class MemoryPlaces {
  readonly #entries: (CacheEntry | null)[] = []
  #bytes = new Float64Array(FIRST_PLACES)
  #newer = new Int32Array(FIRST_PLACES)
  #older = new Int32Array(FIRST_PLACES)
  #visited = new Uint8Array(FIRST_PLACES)
  #free = NOWHERE
  #newest = NOWHERE
  #oldest = NOWHERE

  /** `NOWHERE` when there is none. */
  get oldest(): number {
    return this.#oldest
  }

  entryAt(place: number): CacheEntry | null {
    return this.#entries[place] ?? null
  }

  bytesAt(place: number): number {
    return this.#bytes[place] ?? 0
  }

  newerThan(place: number): number {
    return this.#newer[place] ?? NOWHERE
  }

  /** The entry there was asked for. */
  visit(place: number): void {
    this.#visited[place] = 1
  }

  /** Whether it was since this was asked last. */
  takeVisit(place: number): boolean {
    const visited = this.#visited[place] === 1
    this.#visited[place] = 0
    return visited
  }

  /** Gives the entry a place, as the newest. */
  add(entry: CacheEntry, bytes: number): number {
    const place = this.#takeFree()
    this.#entries[place] = entry
    this.#bytes[place] = bytes
    this.#visited[place] = 0
    this.#newer[place] = NOWHERE
    this.#older[place] = this.#newest
    if (this.#newest === NOWHERE) this.#oldest = place
    else this.#newer[this.#newest] = place
    this.#newest = place
    return place
  }

  remove(place: number): void {
    const newer = this.#newer[place] ?? NOWHERE
    const older = this.#older[place] ?? NOWHERE
    if (newer === NOWHERE) this.#newest = older
    else this.#older[newer] = older
    if (older === NOWHERE) this.#oldest = newer
    else this.#newer[older] = newer
    this.#entries[place] = null
    this.#newer[place] = this.#free
    this.#free = place
  }

  #takeFree(): number {
    const free = this.#free
    if (free !== NOWHERE) {
      this.#free = this.#newer[free] ?? NOWHERE
      return free
    }
    const place = this.#entries.length
    this.#entries.push(null)
    if (place === this.#visited.length) this.#grow(2 * place)
    return place
  }

  #grow(places: number): void {
    const grown = <Column extends Float64Array | Int32Array | Uint8Array>(
      from: Column,
      to: Column,
    ): Column => {
      to.set(from)
      return to
    }
    this.#bytes = grown(this.#bytes, new Float64Array(places))
    this.#newer = grown(this.#newer, new Int32Array(places))
    this.#older = grown(this.#older, new Int32Array(places))
    this.#visited = grown(this.#visited, new Uint8Array(places))
  }
}
