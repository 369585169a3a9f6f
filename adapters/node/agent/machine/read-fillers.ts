import { realpathSync } from 'node:fs'
import type { DiskFiller } from '#handlers/ports/host/machine.ts'
import { measureTree } from './measure-tree.ts'
import { mountOf, readMounts } from '../../machine/mounts.ts'

/** A directory of the installation itself; never a home. */
export interface CountedPlace {
  path: string
  what: string
}

/** Enough for logs, archives and stored pages; a larger tree is told as "at least". */
const MOST_FILES = 5000
const MOST_MS = 150

/** What each of these directories takes, largest first. Each has a budget of its own, so that the first cannot take all. */
export const readFillers = async (places: readonly CountedPlace[]): Promise<DiskFiller[]> => {
  const mounts = readMounts()
  const found: DiskFiller[] = []
  for (const { path, what } of places) {
    try {
      const real = realpathSync(path)
      const measure = await measureTree(real, {
        files: MOST_FILES,
        untilMs: performance.now() + MOST_MS,
      })
      found.push({ mount: mountOf(real, mounts)?.mount ?? path, what, path, ...measure })
    } catch {
      // Not there, or not ours to see: it fills nothing that could be named.
    }
  }
  return found.sort((a, b) => b.bytes - a.bytes)
}
