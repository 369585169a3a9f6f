import { pageId } from '../address/key.ts'
import { createTagMarks } from './tag-marks.ts'
import type { Markable, PurgeScope } from '../types.ts'

/** Marks of one kind of purge (hard or soft) as plain data; lists are oldest first. */
export interface MarkSetSnapshot {
  /** Entries older than this are hit whatever they are. */
  floor: number
  tags: readonly (readonly [tag: string, sequence: number])[]
  keys: readonly (readonly [id: string, sequence: number])[]
  prefixes: readonly (readonly [prefix: string, sequence: number])[]
}

/** Marks of one kind of purge, bounded. */
export interface MarkSet {
  /** A mark that is older than one for the same scope changes nothing. */
  apply(sequence: number, scope: PurgeScope): void
  /** Whether a mark younger than the entry applies to it. */
  hits(entry: Markable): boolean
  /** A copy, which later marks leave as it is. */
  snapshot(): MarkSetSnapshot
  /** Takes over marks made elsewhere; nothing that is already marked is lost. */
  restore(snapshot: MarkSetSnapshot): void
  /** Greatest sequence of any mark. */
  newest(): number
}

/** Every entry of a host with prefix marks is compared with each of them. */
const MAX_PREFIXES_PER_HOST = 128

const SCHEME_END = '//'

/** `//host/path` of an id of any scheme. */
const withoutScheme = (id: string): string => id.slice(id.indexOf(SCHEME_END))
/** `host` of `//host/path`. */
const hostOf = (address: string): string => {
  const end = address.indexOf('/', 2)
  return address.slice(2, end === -1 ? undefined : end)
}

/**
 * Bounded: where a mark must go, the floor rises to it, so that what it hit stays
 * hit (and older pages with it). Where one host has too many prefix marks, its
 * oldest becomes a mark of the whole host, at the cost of that host alone.
 */
export const createMarkSet = (maxMarks: number): MarkSet => {
  const tags = createTagMarks(maxMarks)
  const keys = new Map<string, number>()
  /** By host, so that the marks of one site slow no other down. */
  const prefixes = new Map<string, Map<string, number>>()
  let prefixCount = 0
  let floor = 0
  /** Greatest sequence of a scoped mark: younger entries need no look-up. */
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
  }
  const dropOldest = (map: Map<string, number>): number => {
    const oldest = map.entries().next().value
    if (oldest === undefined) return 0
    map.delete(oldest[0])
    return oldest[1]
  }
  const markBounded = (map: Map<string, number>, name: string, sequence: number): void => {
    mark(map, name, sequence)
    if (map.size > maxMarks) raiseFloor(dropOldest(map))
  }
  const markTag = (tag: string, sequence: number): void => {
    raiseFloor(tags.mark(tag, sequence))
    newestScoped = Math.max(newestScoped, sequence)
  }
  const countPrefixes = (): void => {
    prefixCount = 0
    for (const [host, own] of prefixes) {
      if (own.size === 0) prefixes.delete(host)
      prefixCount += own.size
    }
  }
  const markPrefix = (prefix: string, sequence: number): void => {
    const host = hostOf(prefix)
    let own = prefixes.get(host)
    if (own === undefined) prefixes.set(host, (own = new Map()))
    const before = own.size
    mark(own, prefix, sequence)
    prefixCount += own.size - before
    if (own.size > MAX_PREFIXES_PER_HOST) {
      markTag(`host:${host}`, dropOldest(own))
      prefixCount--
    }
    if (prefixCount <= maxMarks) return
    for (const other of prefixes.values()) raiseFloor(dropOldest(other))
    countPrefixes()
  }
  const dropBelowFloor = (map: Map<string, number>): void => {
    for (const [name, sequence] of map) if (sequence <= floor) map.delete(name)
  }
  const hitsPrefix = (id: string, sequence: number): boolean => {
    const address = withoutScheme(id)
    const own = prefixes.get(hostOf(address))
    if (own === undefined) return false
    for (const [prefix, at] of own) if (at > sequence && address.startsWith(prefix)) return true
    return false
  }

  const dropAllBelowFloor = (): void => {
    for (const map of [keys, ...prefixes.values()]) dropBelowFloor(map)
    tags.forgetUntil(floor)
    countPrefixes()
  }

  return {
    apply(sequence, scope) {
      if (scope.kind === 'tag') markTag(scope.tag, sequence)
      else if (scope.kind === 'key') markBounded(keys, scope.id, sequence)
      else if (scope.kind === 'prefix') markPrefix(scope.prefix, sequence)
      else {
        raiseFloor(sequence)
        dropAllBelowFloor()
      }
    },
    hits({ key, tags: own, sequence }) {
      if (sequence < floor) return true
      if (sequence >= newestScoped) return false
      if (keys.size > 0 && (keys.get(pageId(key.id)) ?? 0) > sequence) return true
      if (tags.hits(own, sequence)) return true
      return prefixCount > 0 && hitsPrefix(key.id, sequence)
    },
    snapshot: () => ({
      floor,
      tags: tags.entries(),
      keys: [...keys],
      prefixes: [...prefixes.values()].flatMap((own) => [...own]),
    }),
    restore(snapshot) {
      raiseFloor(snapshot.floor)
      for (const [tag, sequence] of snapshot.tags) markTag(tag, sequence)
      for (const [id, sequence] of snapshot.keys) markBounded(keys, id, sequence)
      for (const [prefix, sequence] of snapshot.prefixes) markPrefix(prefix, sequence)
    },
    newest: () => Math.max(floor, newestScoped),
  }
}
