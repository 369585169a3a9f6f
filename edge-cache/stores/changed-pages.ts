import type { CacheEntry } from '../types.ts'

/** Pages that were lately stored anew or taken away somewhere else; bounded. */
export interface ChangedPages {
  /** `edition` is what there is now; null: nothing. */
  note(id: string, edition: string | null): void
  /** Now, to be compared with later. */
  moment(): number
  /** Whether what was read since that moment may be older than what there is. */
  outdates(entry: CacheEntry, since: number): boolean
  /** The same for what came by another way, which may have taken seconds. */
  outdatesLately(entry: CacheEntry): boolean
}

const MAX_PAGES = 4096
const LATELY_MS = 2000

/** Names one response of the origin, whatever codings of it there are. */
export const editionOf = ({ storedAtMs, sequence, body }: CacheEntry): string =>
  `${storedAtMs}/${sequence}/${body.byteLength}`

/** Remembers 4096 pages; lately is within two seconds. `nowMs`: wall clock, milliseconds. */
export const createChangedPages = (nowMs: () => number): ChangedPages => {
  /** Oldest first. */
  const noted = new Map<string, { edition: string | null; serial: number; atMs: number }>()
  let serial = 0
  /** The youngest that was forgotten. */
  let forgotten = 0

  return {
    note(id, edition) {
      noted.delete(id)
      noted.set(id, { edition, serial: ++serial, atMs: nowMs() })
      if (noted.size <= MAX_PAGES) return
      const [oldest] = noted
      if (oldest === undefined) return
      forgotten = oldest[1].serial
      noted.delete(oldest[0])
    },
    moment: () => serial,
    outdates(entry, since) {
      const found = noted.get(entry.key.id)
      if (found === undefined) return forgotten > since
      return found.serial > since && found.edition !== editionOf(entry)
    },
    outdatesLately(entry) {
      const found = noted.get(entry.key.id)
      if (found === undefined || Math.abs(nowMs() - found.atMs) >= LATELY_MS) return false
      return found.edition !== editionOf(entry)
    },
  }
}
