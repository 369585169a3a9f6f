import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What a purge leaves: the archives of accounts, and the keys without which they cannot be restored whole. */
export const keptBackups = (stateDir: string): string[] =>
  [join(stateDir, 'backups'), join(stateDir, 'agent', 'archive-keys')].filter(
    (path) => existsSync(path) && readdirSync(path).length > 0,
  )

/** Removes a tree but for the paths in it that are kept, and what leads to them. */
export const removeAllBut = (path: string, kept: readonly string[]): void => {
  if (kept.includes(path)) return
  if (!kept.some((one) => one.startsWith(`${path}/`))) {
    rmSync(path, { recursive: true, force: true })
    return
  }
  for (const name of readdirSync(path)) removeAllBut(join(path, name), kept)
}
