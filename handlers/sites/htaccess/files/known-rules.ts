import type { DirectoryRules } from './directory-rules.ts'

const MAX_DIRECTORIES = 2000
/** Text of rules and names of directories kept per virtual host; what they become takes a few times that. */
const MAX_TEXT_BYTES = 2 * 2 ** 20

/** What a look at one directory found. */
export interface Known {
  /** Which look at files of the virtual host found it; a later one knows better. */
  look: number
  checkedAtMs: number
  stamp: string | null
  found: DirectoryRules | null
  sizeBytes: number
}

/** What one virtual host's rules are known to be. */
export interface HostRules {
  directories: Map<string, Known>
  sizeBytes: number
  /** Grows with every change that is seen. */
  version: number
  /** Looks at files that were begun. */
  looks: number
  /** Grows when what is being read just then may be of no use. */
  doubts: number
  reading: Map<string, Promise<Known>>
  logged: Set<string>
}

/** Nothing is known yet. */
export const newHostRules = (): HostRules => ({
  directories: new Map(),
  sizeBytes: 0,
  version: 0,
  looks: 0,
  doubts: 0,
  reading: new Map(),
  logged: new Set(),
})

/** Takes note of what was found in a directory, unless a later look was faster; the oldest go first. Answers what counts. */
export const rememberRules = (host: HostRules, directory: string, known: Known): Known => {
  const before = host.directories.get(directory)
  // Reading takes several rounds of the event loop: who began later may be done before.
  if (before && before.look > known.look) return before
  const nameBytes = 2 * directory.length
  if (before) host.sizeBytes -= before.sizeBytes + nameBytes
  host.directories.delete(directory)
  host.directories.set(directory, known)
  host.sizeBytes += known.sizeBytes + nameBytes
  if ((before?.found?.hash ?? null) !== (known.found?.hash ?? null)) host.version++
  for (const [oldest, { sizeBytes }] of host.directories) {
    if (host.directories.size <= MAX_DIRECTORIES && host.sizeBytes <= MAX_TEXT_BYTES) break
    if (oldest === directory) break
    host.directories.delete(oldest)
    host.sizeBytes -= sizeBytes + 2 * oldest.length
  }
  return known
}
