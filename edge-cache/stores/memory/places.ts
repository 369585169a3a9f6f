import type { CacheEntry } from '../../types.ts'
import { NumberColumn } from '../number-column.ts'

/** No place: the end of a list. */
export const NOWHERE = -1

/**
 * Where the memory layer notes what it must know of its entries, in columns of
 * numbers: an object for each of a million would be memory, and time at every
 * collection of garbage. A place is a row of all columns; those in use form a list
 * by age, the others one of free places.
 */
export class MemoryPlaces {
  readonly #entries: (CacheEntry | null)[] = []
  readonly #bytes = new NumberColumn(Float64Array)
  readonly #newer = new NumberColumn()
  readonly #older = new NumberColumn()
  readonly #visited = new NumberColumn()
  #free = NOWHERE
  #newest = NOWHERE
  #oldest = NOWHERE

  /** `NOWHERE` when there is none. */
  get oldest(): number {
    return this.#oldest
  }

  /** Null for a free place. */
  entryAt(place: number): CacheEntry | null {
    return this.#entries[place] ?? null
  }

  /** As given to `add`. */
  bytesAt(place: number): number {
    return this.#bytes.get(place)
  }

  /** The next place by age; `NOWHERE` behind the newest. */
  newerThan(place: number): number {
    return this.#newer.get(place)
  }

  /** The entry there was asked for. */
  visit(place: number): void {
    this.#visited.set(place, 1)
  }

  /** Whether it was since this was asked last. */
  takeVisit(place: number): boolean {
    const visited = this.#visited.get(place) === 1
    this.#visited.set(place, 0)
    return visited
  }

  /** Gives the entry a place, as the newest. */
  add(entry: CacheEntry, bytes: number): number {
    const place = this.#takeFree()
    this.#entries[place] = entry
    this.#bytes.set(place, bytes)
    this.#visited.set(place, 0)
    this.#newer.set(place, NOWHERE)
    this.#older.set(place, this.#newest)
    if (this.#newest === NOWHERE) this.#oldest = place
    else this.#newer.set(this.#newest, place)
    this.#newest = place
    return place
  }

  /** Frees the place for another entry. */
  remove(place: number): void {
    const newer = this.#newer.get(place)
    const older = this.#older.get(place)
    if (newer === NOWHERE) this.#newest = older
    else this.#older.set(newer, older)
    if (older === NOWHERE) this.#oldest = newer
    else this.#newer.set(older, newer)
    this.#entries[place] = null
    this.#newer.set(place, this.#free)
    this.#free = place
  }

  #takeFree(): number {
    const free = this.#free
    if (free !== NOWHERE) {
      this.#free = this.#newer.get(free)
      return free
    }
    const place = this.#entries.length
    this.#entries.push(null)
    return place
  }
}
