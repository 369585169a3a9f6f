import { statfsSync, statSync } from 'node:fs'
import type { InspectedDisk } from '#handlers/ports/host/inspection.ts'

/** The file systems that these paths lie on, each once; a path that is not there is passed over. */
export const inspectDisks = (paths: readonly string[]): InspectedDisk[] => {
  const found = new Map<number, InspectedDisk>()
  for (const path of paths) {
    try {
      const { dev } = statSync(path)
      if (found.has(dev)) continue
      const { bsize, blocks, bavail, files, ffree } = statfsSync(path)
      found.set(dev, {
        path,
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
