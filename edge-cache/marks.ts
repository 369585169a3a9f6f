import type { CacheEntry, PurgeMarks, PurgeScope } from './types.ts'

/** All marks as plain data, for other processes and for the disk. */
export interface PurgeMarkSnapshot {
  /** Greatest sequence given out. */
  sequence: number
  /** Entries older than this are dead whatever they are. */
  floor: number
  /** Oldest first. */
  tags: readonly (readonly [tag: string, sequence: number])[]
  keys: readonly (readonly [id: string, sequence: number])[]
}

export interface SnapshotPurgeMarks extends PurgeMarks {
  snapshot(): PurgeMarkSnapshot
  /** Takes over marks made elsewhere; nothing that is already marked is lost. */
  restore(snapshot: PurgeMarkSnapshot): void
}

/** Bound of tag marks, and of key marks, each. */
export const DEFAULT_MAX_MARKS = 65_536

/**
 * Purge marks in memory. They are bounded: where a mark must go, the floor rises
 * to it, so that what it killed stays dead (and older pages with it).
 */
export const createPurgeMarks = (
  options: { snapshot?: PurgeMarkSnapshot; maxMarks?: number } = {},
): SnapshotPurgeMarks => {
  const maxMarks = options.maxMarks ?? DEFAULT_MAX_MARKS
  const tags = new Map<string, number>()
  const keys = new Map<string, number>()
  let current = 0
  let floor = 0
  /** Greatest sequence of a tag or key mark: younger entries need no look-up. */
  let newestScoped = 0

  const raiseFloor = (sequence: number): void => {
    if (sequence > floor) floor = sequence
  }
  const mark = (map: Map<string, number>, name: string, sequence: number): void => {
    const before = map.get(name) ?? 0
    // Moved to the end, so that the map stays ordered by age.
    map.delete(name)
    map.set(name, Math.max(before, sequence))
    newestScoped = Math.max(newestScoped, sequence)
    if (map.size <= maxMarks) return
    const oldest = map.entries().next().value
    if (oldest === undefined) return
    map.delete(oldest[0])
    raiseFloor(oldest[1])
  }
  const dropBelowFloor = (map: Map<string, number>): void => {
    for (const [name, sequence] of map) if (sequence <= floor) map.delete(name)
  }
  const applyScope = (sequence: number, scope: PurgeScope): void => {
    if (scope.kind === 'tag') mark(tags, scope.tag, sequence)
    else if (scope.kind === 'key') mark(keys, scope.id, sequence)
    else {
      raiseFloor(sequence)
      dropBelowFloor(tags)
      dropBelowFloor(keys)
    }
  }
  const isPurged = (entry: Pick<CacheEntry, 'key' | 'tags' | 'sequence'>): boolean => {
    const { sequence } = entry
    if (sequence < floor) return true
    if (sequence >= newestScoped) return false
    if ((keys.get(entry.key.id) ?? 0) > sequence) return true
    for (const tag of entry.tags) if ((tags.get(tag) ?? 0) > sequence) return true
    return false
  }
  const restore = (snapshot: PurgeMarkSnapshot): void => {
    raiseFloor(snapshot.floor)
    for (const [tag, sequence] of snapshot.tags) mark(tags, tag, sequence)
    for (const [id, sequence] of snapshot.keys) mark(keys, id, sequence)
    current = Math.max(current, snapshot.sequence, floor, newestScoped)
  }
  if (options.snapshot) restore(options.snapshot)

  return {
    current: () => current,
    isPurged,
    apply(sequence, scopes) {
      for (const scope of scopes) applyScope(sequence, scope)
      current = Math.max(current, sequence)
    },
    snapshot: () => ({ sequence: current, floor, tags: [...tags], keys: [...keys] }),
    restore,
  }
}
