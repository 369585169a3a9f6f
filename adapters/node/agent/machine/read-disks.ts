import { realpathSync, statfsSync, statSync } from 'node:fs'
import type { MachineDisk } from '#handlers/ports/host/machine.ts'
import { mountOf, readMounts } from '../../machine/mounts.ts'

/** A place that somebody writes to, with what it is for, e.g. `homes`. None is a tenant's to rename. */
export interface WrittenPlace {
  path: string
  holds: string
}

/** The file systems that these places lie on, each once; a place that is not there is passed over. */
export const readDisks = (places: readonly WrittenPlace[]): MachineDisk[] => {
  const mounts = readMounts()
  const found = new Map<string, MachineDisk>()
  for (const { path, holds } of places) {
    try {
      const mount = mountOf(realpathSync(path), mounts)
      // Bind mounts of one file system are one disk; its first place names it.
      const key = String(statSync(path).dev)
      const known = found.get(key)
      if (known !== undefined) {
        if (!known.holds.includes(holds)) known.holds.push(holds)
        known.paths.push(path)
        continue
      }
      const { bsize, blocks, bavail, files, ffree } = statfsSync(path)
      found.set(key, {
        mount: mount?.mount ?? path,
        holds: [holds],
        paths: [path],
        readOnly: mount?.readOnly ?? false,
        totalBytes: blocks * bsize,
        freeBytes: bavail * bsize,
        totalFiles: files,
        freeFiles: ffree,
      })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return [...found.values()]
}
