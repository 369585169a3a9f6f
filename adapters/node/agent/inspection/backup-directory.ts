import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostInspection } from '#handlers/ports/host/inspection.ts'

/** Finished archives; work in progress lies in directories of its own. */
export const inspectBackups = async (directory: string): Promise<HostInspection['backups']> => {
  const names = await readdir(directory).catch(() => [])
  const found: HostInspection['backups'] = []
  for (const filename of names.filter((name) => name.endsWith('.tar.gz')).sort()) {
    const path = join(directory, filename)
    const stat = await lstat(path).catch(() => null)
    if (stat?.isFile() === true) found.push({ filename, path, sizeBytes: stat.size })
  }
  return found
}
