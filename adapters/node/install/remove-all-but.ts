import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What a purge leaves: archives and snapshots of accounts, and the keys without which they cannot be restored whole, or at all. */
export const keptBackups = (stateDir: string): string[] =>
  ['backups', 'snapshots', 'agent/archive-keys', 'agent/snapshot-keys']
    .map((name) => join(stateDir, name))
    .filter((path) => existsSync(path) && readdirSync(path).length > 0)

/** Removes a tree but for the paths in it that are kept, and what leads to them. */
export const removeAllBut = (path: string, kept: readonly string[]): void => {
  if (kept.includes(path)) return
  if (!kept.some((one) => one.startsWith(`${path}/`))) {
    rmSync(path, { recursive: true, force: true })
    return
  }
  if (!existsSync(path)) return
  for (const name of readdirSync(path)) removeAllBut(join(path, name), kept)
}
