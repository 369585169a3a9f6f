import type { NameFigures } from '../../ports/host/figures.ts'

/** A name that is counted. Whoever meets it again and again may keep it and add to it, as long as `isKept`. */
export interface CountedName {
  readonly name: string
  /** What names are kept by: how often, or for how long. */
  weight: number
  /** How often, where the weight is a time; together with the longest. */
  times: number
  longest: number
  /** False: it was forgotten, and what is added to it is lost. */
  isKept: boolean
}

/** Names that several tables may hold together. */
export interface NamesRoom {
  left: number
}

const byWeight = (one: CountedName, other: CountedName): number => other.weight - one.weight

/**
 * The names that were met most, out of however many there are (Misra and Gries, 1982;
 * mergeable: Agarwal et al., 2012). At most `2 * capacity` are held; when a further one
 * comes, the `capacity` heaviest stay and all lose what the next one had. So a count is
 * exact while there are few names, and else too small by at most the sum of all counts
 * / capacity; a name that has more than this share is always there. Each addition costs
 * the same on average, whatever names come.
 */
export class FrequentNames {
  readonly #capacity: number
  readonly #room: NamesRoom
  #names = new Map<string, CountedName>()

  constructor(capacity: number, room: NamesRoom = { left: Infinity }) {
    this.#capacity = capacity
    this.#room = room
  }

  /** How many names it holds, at most twice the capacity. */
  get size(): number {
    return this.#names.size
  }

  /** The name, counted from now on; null where there is no room for one more. */
  of(name: string): CountedName | null {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= 2 * this.#capacity) this.#lighten(this.#capacity)
    if (this.#room.left <= 0) return null
    this.#room.left--
    const made = { name, weight: 0, times: 0, longest: 0, isKept: true }
    this.#names.set(name, made)
    return made
  }

  /** Counts a name by its weight alone. */
  add(name: string, weight = 1): void {
    const counted = this.of(name)
    if (counted !== null) counted.weight += weight
  }

  /** Counts something that took a time. */
  addTime(name: string, weight: number, times = 1, longest = weight): void {
    const counted = this.of(name)
    if (counted === null) return
    counted.weight += weight
    counted.times += times
    counted.longest = Math.max(counted.longest, longest)
  }

  /** Adds what another table answered by `list`. */
  merge(others: readonly NameFigures[]): void {
    for (const [name, weight, times, longest] of others)
      if (times === undefined || longest === undefined) this.add(name, weight)
      else this.addTime(name, weight, times, longest)
  }

  /** The heaviest, at most the capacity; with `times` and `longest` where asked for. */
  list(withTimes = false, most = this.#capacity): NameFigures[] {
    return [...this.#names.values()]
      .filter(({ weight }) => weight > 0)
      .sort(byWeight)
      .slice(0, most)
      .map(({ name, weight, times, longest }) =>
        withTimes ? [name, weight, times, longest] : [name, weight],
      )
  }

  #lighten(most: number): void {
    const sorted = [...this.#names.values()].sort(byWeight)
    const less = sorted[most]?.weight ?? 0
    for (const counted of sorted) {
      counted.weight -= less
      if (counted.weight > 0) continue
      counted.isKept = false
      this.#names.delete(counted.name)
      this.#room.left++
    }
  }
}
