import { siteTagOf } from './tags.ts'

/** Marks of one kind and the greatest of their sequences: an entry as young needs no look-up. */
interface Group {
  newest: number
  tags: Map<string, number>
}

/** Purge marks by tag: of hosts, of all sites, or within one site (`purgeSiteTag`). */
export interface TagMarks {
  /** Keeps the greatest sequence; answers that of the mark which had to go, 0 when none had to. */
  mark(tag: string, sequence: number): number
  /** Whether a mark younger than `sequence` names one of an entry's tags. */
  hits(own: readonly string[], sequence: number): boolean
  /** Forgets marks up to `sequence`. */
  forgetUntil(sequence: number): void
  /** Oldest first. */
  entries(): [tag: string, sequence: number][]
}

const HOST = 'host:'

const groupOf = (): Group => ({ newest: 0, tags: new Map() })

const anyAfter = ({ tags }: Group, own: readonly string[], sequence: number): boolean => {
  for (const tag of own) if ((tags.get(tag) ?? 0) > sequence) return true
  return false
}

/**
 * At most `maxMarks`. A page may have thousands of tags and is judged at every hit, so
 * all of them are looked up only where a younger mark may name any of them: of a host's
 * mark those that name hosts are enough, and marks within a site concern its pages alone.
 */
export const createTagMarks = (maxMarks: number): TagMarks => {
  /** All marks under their full names, ordered by age. */
  const all = new Map<string, number>()
  const hosts = groupOf()
  const everywhere = groupOf()
  const sites = new Map<string, Group>()

  const add = (group: Group, tag: string, sequence: number): void => {
    group.tags.set(tag, sequence)
    if (sequence > group.newest) group.newest = sequence
  }
  const place = (name: string, sequence: number): void => {
    const end = name.indexOf(' ')
    if (end === -1) return add(name.startsWith(HOST) ? hosts : everywhere, name, sequence)
    const site = name.slice(0, end)
    let group = sites.get(site)
    if (group === undefined) sites.set(site, (group = groupOf()))
    add(group, name.slice(end + 1), sequence)
  }
  const forget = (name: string): void => {
    all.delete(name)
    const end = name.indexOf(' ')
    if (end === -1) {
      ;(name.startsWith(HOST) ? hosts : everywhere).tags.delete(name)
      return
    }
    const site = name.slice(0, end)
    const group = sites.get(site)
    group?.tags.delete(name.slice(end + 1))
    if (group?.tags.size === 0) sites.delete(site)
  }
  const hitsHost = (own: readonly string[], sequence: number): boolean => {
    // Those that name hosts come first, and no origin can give another (`responseTags`).
    for (const tag of own) {
      if (!tag.startsWith(HOST)) return false
      if ((hosts.tags.get(tag) ?? 0) > sequence) return true
    }
    return false
  }

  return {
    mark(name, sequence) {
      const greatest = Math.max(all.get(name) ?? 0, sequence)
      // Moved to the end, so that the map stays ordered by age.
      all.delete(name)
      all.set(name, greatest)
      place(name, greatest)
      if (all.size <= maxMarks) return 0
      const oldest = all.entries().next().value
      if (oldest === undefined) return 0
      forget(oldest[0])
      return oldest[1]
    },
    hits(own, sequence) {
      if (hosts.newest > sequence && hitsHost(own, sequence)) return true
      if (everywhere.newest > sequence && anyAfter(everywhere, own, sequence)) return true
      if (sites.size === 0) return false
      const site = sites.get(siteTagOf(own))
      return site !== undefined && site.newest > sequence && anyAfter(site, own, sequence)
    },
    forgetUntil(sequence) {
      for (const [name, at] of all) if (at <= sequence) forget(name)
    },
    entries: () => [...all],
  }
}
