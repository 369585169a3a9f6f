import type { CacheEntry } from '../../types.ts'

/** Bodies of entries, many in one piece of memory. */
export interface BodySlabs {
  /** Exchanges the entry's bodies for the same bytes in a slab. */
  add(entry: CacheEntry): void
  /** Its bodies are not needed here any more; whoever still has them may go on reading. */
  remove(entry: CacheEntry): void
  /** Bytes of slabs in which no body lies. */
  spareBytes(): number
  /** Gives up one slab that is hardly used; false where there is none. Takes less than a millisecond. */
  tidy(): boolean
}

/** An entry, or its body in another coding. */
interface Part {
  body: Uint8Array<ArrayBuffer>
}

interface Slab {
  buffer: ArrayBuffer
  usedBytes: number
  liveBytes: number
  /** Whose bodies were put here; many may be gone. */
  entries: CacheEntry[]
}

/** Bodies larger than this part of a slab have memory of their own. */
const OWN_SHARE = 8
/** A slab of which less is in use may be given up. */
const WORTH_KEEPING = 0.75

const partsOf = (entry: CacheEntry): readonly Part[] =>
  entry.encodings === null || entry.encodings.length === 0 ? [entry] : [entry, ...entry.encodings]

/**
 * A million small buffers cost more than what is in them: objects of the runtime,
 * and time at every collection of garbage. Slabs are filled from one end and no
 * place is used twice, since a response under way may still be read from it. What
 * lives in a slab that has become empty for a good part is copied to the newest one
 * when room is needed; the old one goes with its last reader.
 *
 * `isHeld`: whether the entry has not been removed.
 */
export const createBodySlabs = (options: {
  slabBytes: number
  isHeld(entry: CacheEntry): boolean
}): BodySlabs => {
  const { slabBytes, isHeld } = options
  const slabs = new Map<ArrayBuffer, Slab>()
  /** Those worth giving up. */
  const sparse = new Set<Slab>()
  let newest: Slab | null = null
  let liveBytes = 0

  const place = (part: Part, entry: CacheEntry): void => {
    const { body } = part
    const size = body.byteLength
    if (size > slabBytes / OWN_SHARE) {
      // A view would keep all that lies beside it.
      if (body.buffer.byteLength !== size) part.body = body.slice()
      return
    }
    let slab = newest
    if (slab === null || slab.usedBytes + size > slabBytes) slab = open()
    const copy = new Uint8Array(slab.buffer, slab.usedBytes, size)
    copy.set(body)
    part.body = copy
    slab.usedBytes += size
    slab.liveBytes += size
    slab.entries.push(entry)
    liveBytes += size
  }
  const drop = (slab: Slab): void => {
    slabs.delete(slab.buffer)
    sparse.delete(slab)
    liveBytes -= slab.liveBytes
  }
  const giveUp = (slab: Slab): void => {
    drop(slab)
    for (const entry of slab.entries) {
      if (!isHeld(entry)) continue
      for (const part of partsOf(entry)) if (part.body.buffer === slab.buffer) place(part, entry)
    }
  }
  const look = (slab: Slab): void => {
    if (slab === newest) return
    if (slab.liveBytes === 0) drop(slab)
    else if (slab.liveBytes < WORTH_KEEPING * slabBytes) sparse.add(slab)
  }
  const open = (): Slab => {
    const full = newest
    const slab = { buffer: new ArrayBuffer(slabBytes), usedBytes: 0, liveBytes: 0, entries: [] }
    slabs.set(slab.buffer, slab)
    newest = slab
    if (full !== null) look(full)
    return slab
  }

  return {
    add(entry) {
      for (const part of partsOf(entry)) place(part, entry)
    },
    remove(entry) {
      for (const { body } of partsOf(entry)) {
        const slab = slabs.get(body.buffer)
        if (slab === undefined) continue
        slab.liveBytes -= body.byteLength
        liveBytes -= body.byteLength
        look(slab)
      }
    },
    spareBytes: () => slabs.size * slabBytes - liveBytes,
    tidy() {
      const slab = sparse.values().next().value
      if (slab !== undefined) giveUp(slab)
      return slab !== undefined
    },
  }
}
