import type { HostInspection } from '../../ports/host/inspection.ts'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

/** Archives in the host's own directory; copies elsewhere are checked when they are used. */
export const compareBackups = (records: Records, host: HostInspection): Diagnosis[] => {
  const found: Diagnosis[] = []
  const add = (filename: string, username: string | null, what: string, fix: string): void =>
    void found.push({ kind: 'backup', subject: filename, what, fix, repair: null, username })
  const there = new Map(host.backups.map((file) => [file.filename, file.sizeBytes]))
  const local = records.backups.filter(({ location }) => location === LOCAL)
  for (const { filename, username, size_bytes } of local) {
    const sizeBytes = there.get(filename)
    if (sizeBytes === size_bytes) continue
    add(
      filename,
      username,
      sizeBytes === undefined
        ? 'is a backup of the panel whose file is gone'
        : `has ${sizeBytes} bytes instead of ${size_bytes}`,
      'Delete the backup in the panel, and make another.',
    )
  }
  const recorded = new Set(local.map(({ filename }) => filename))
  for (const { filename, path } of host.backups)
    if (!recorded.has(filename))
      add(
        filename,
        filename.split('-')[0] ?? null,
        'lies in the backup directory, but is no backup of the panel',
        `It may be the last copy of an account. See what is in it with berth backups import ${path} --dry-run, and import it, or keep it elsewhere.`,
      )
  return found
}
