import { readDisks, type WrittenPlace } from './read-disks.ts'

/** With less than this free a write of any size fails; file systems keep some blocks back for themselves. */
const NOTHING_BYTES = 64 * 1024

/**
 * The disks on which nothing more can be written, by what they hold, e.g. `homes and
 * backups`; null: none is full. For texts that tenants may read, so without paths.
 */
export const fullDisks = (places: readonly WrittenPlace[]): string | null => {
  const full = readDisks(places).filter(
    ({ freeBytes, totalFiles, freeFiles }) =>
      freeBytes < NOTHING_BYTES || (totalFiles > 0 && freeFiles === 0),
  )
  const held = [...new Set(full.flatMap(({ holds }) => holds))]
  const last = held.pop()
  if (last === undefined) return null
  return held.length === 0 ? last : `${held.join(', ')} and ${last}`
}
