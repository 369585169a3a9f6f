/** A text, how often it was seen, and what was said of it last. */
export type Tally = readonly [text: string, count: number, note: string]

/**
 * The texts that come most often, in room for a few ("space-saving"): a text that
 * finds no room takes the place of the rarest and goes on from its count. So one
 * that makes up more than a part in `slots` of all is always there, and no count
 * is too low; those at the end of the list may be too high.
 */
export class HeavyHitters {
  readonly #slots: number
  readonly #seen = new Map<string, { count: number; note: string }>()

  constructor(slots = 64) {
    this.#slots = slots
  }

  add(text: string, count = 1, note = ''): void {
    const known = this.#seen.get(text)
    if (known !== undefined) {
      known.count += count
      known.note = note
      return
    }
    const before = this.#seen.size < this.#slots ? 0 : this.#removeRarest()
    this.#seen.set(text, { count: before + count, note })
  }

  /** Most often first. */
  read(): Tally[] {
    return [...this.#seen]
      .map(([text, { count, note }]): Tally => [text, count, note])
      .sort(([, a], [, b]) => b - a)
  }

  /** Its count. */
  #removeRarest(): number {
    let rarest = ''
    let least = Infinity
    for (const [text, { count }] of this.#seen) if (count < least) [rarest, least] = [text, count]
    this.#seen.delete(rarest)
    return least
  }
}
