import type { PageAddress } from '#edge-cache/page-address.ts'

/** A target that is asked for again and again, with what was made of it. */
export interface KnownTarget {
  readonly bytes: Uint8Array
  readonly text: string
  /** Where its page was looked up last; null before. */
  page: PageAddress | null
}

/** Places; a power of two. */
const PLACES = 4096
/** Longer targets are not remembered. */
const MAX_BYTES = 512

/**
 * Targets that this worker was asked for more than once, found by their bytes, so
 * that neither their text nor what is made of it must be put together again. Each
 * has one place, which it loses to another that comes there twice in a row. What
 * is remembered of a target follows from its bytes alone; whether anything may be
 * answered is judged for every request.
 */
export class KnownTargets {
  readonly #known: (KnownTarget | null)[] = new Array<KnownTarget | null>(PLACES).fill(null)
  /** Hash of the target that came to a place last. */
  readonly #last = new Int32Array(PLACES)

  /** The target from `start` to `end`; null when it is not known (yet). `hash`: any number that it always has. */
  find(bytes: Buffer, start: number, end: number, hash: number): KnownTarget | null {
    const place = (hash ^ (hash >>> 12) ^ (hash >>> 24)) & (PLACES - 1)
    const known = this.#known[place] ?? null
    if (known !== null && isAt(bytes, start, end, known.bytes)) {
      this.#last[place] = hash
      return known
    }
    if (this.#last[place] !== hash || end - start > MAX_BYTES) {
      this.#last[place] = hash
      return null
    }
    const text = bytes.toString('latin1', start, end)
    const made = { bytes: Uint8Array.from(bytes.subarray(start, end)), text, page: null }
    this.#known[place] = made
    return made
  }
}

const isAt = (bytes: Uint8Array, start: number, end: number, word: Uint8Array): boolean => {
  if (end - start !== word.length) return false
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false
  return true
}
