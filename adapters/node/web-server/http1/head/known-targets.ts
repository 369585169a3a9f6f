import type { PageAddress } from '#edge-cache/index.ts'
import type { NotedTarget } from '../../figures/noted-targets.ts'

/** A target that is asked for again and again, with what was made of it. */
export interface KnownTarget {
  readonly bytes: Uint8Array
  readonly text: string
  /** Where its page was looked up last; null before. */
  page: PageAddress | null
  /** What figures make of it; null: nobody asked yet. */
  noted: NotedTarget | null
}

/** Places; a power of two. */
const PLACES = 4096
/** Longer targets are not remembered. */
const MAX_BYTES = 512
/** How many newcomers a target that is asked for often outlives at most. */
const MAX_WORTH = 4

/**
 * Targets that this worker was asked for more than once, found by their bytes, so
 * that neither their text nor what is made of it must be put together again. Each
 * has one place, which it loses to another that comes there twice in a row, but
 * only when that happened more often than it was asked for itself: where there are
 * more targets than places, to exchange them all the time would make garbage that
 * outlives every small collection. What is remembered of a target follows from its
 * bytes alone; whether anything may be answered is judged for every request.
 */
export class KnownTargets {
  readonly #known: (KnownTarget | null)[] = new Array<KnownTarget | null>(PLACES).fill(null)
  /** Of the target that has a place: others need not be compared with it, far from the processor as it lies. */
  readonly #hashes = new Int32Array(PLACES)
  /** Hash of the target that came to a place last. */
  readonly #last = new Int32Array(PLACES)
  /** How often the target of a place was asked for more than others took it for theirs. */
  readonly #worth = new Uint8Array(PLACES)

  /** The target from `start` to `end`; null when it is not known (yet). `hash`: any number that it always has. */
  find(bytes: Buffer, start: number, end: number, hash: number): KnownTarget | null {
    const place = (hash ^ (hash >>> 12) ^ (hash >>> 24)) & (PLACES - 1)
    const known = this.#known[place] ?? null
    const worth = this.#worth[place] ?? 0
    if (known !== null && this.#hashes[place] === hash && isAt(bytes, start, end, known.bytes)) {
      this.#last[place] = hash
      if (worth < MAX_WORTH) this.#worth[place] = worth + 1
      return known
    }
    if (this.#last[place] !== hash || end - start > MAX_BYTES) {
      this.#last[place] = hash
      return null
    }
    if (worth > 0) {
      this.#worth[place] = worth - 1
      return null
    }
    const text = bytes.toString('latin1', start, end)
    // `slice` of a Buffer would be a view.
    const own = new Uint8Array(end - start)
    own.set(bytes.subarray(start, end))
    const made = { bytes: own, text, page: null, noted: null }
    this.#known[place] = made
    this.#hashes[place] = hash
    return made
  }
}

const isAt = (bytes: Uint8Array, start: number, end: number, word: Uint8Array): boolean => {
  if (end - start !== word.length) return false
  // Targets of a site begin alike and end differently.
  for (let i = word.length - 1; i >= 0; i--) if (bytes[start + i] !== word[i]) return false
  return true
}
