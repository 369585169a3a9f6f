/** A text, how often it was seen, and what was said of it last. */
export type Tally = readonly [text: string, count: number, note: string]

/** Of a text beside its characters. */
const ENTRY_BYTES = 160

/**
 * The texts that come most often, in room for a few ("space-saving"): a text that
 * finds no room takes the place of the rarest and goes on from its count. So one
 * that makes up more than a part in `slots` of all is always there, and no count
 * is too low; those at the end of the list may be too high.
 */
export class HeavyHitters {
  readonly #slots: number
  readonly #seen = new Map<string, { count: number; note: string }>()
  #chars = 0

  constructor(slots = 64) {
    this.#slots = slots
  }

  /** What it holds in memory, rather too high. */
  get sizeBytes(): number {
    return this.#seen.size * ENTRY_BYTES + this.#chars * 2
  }

  /** Seen `count` times more; `note` replaces what was said of it before. */
  add(text: string, count = 1, note = ''): void {
    const known = this.#seen.get(text)
    if (known !== undefined) {
      known.count += count
      known.note = note
      return
    }
    const before = this.#seen.size < this.#slots ? 0 : this.#removeRarest()
    this.#seen.set(text, { count: before + count, note })
    this.#chars += text.length
  }

  /** Lets go of all but those that came most often. */
  keep(most: number): void {
    if (this.#seen.size <= most) return
    for (const [text] of this.read().slice(most)) this.#remove(text)
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
    this.#remove(rarest)
    return least
  }

  #remove(text: string): void {
    if (this.#seen.delete(text)) this.#chars -= text.length
  }
}
