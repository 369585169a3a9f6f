import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Where request bodies of unknown length wait for PHP: a directory that only the web server sees. */
export const spoolDirectoryOf = (stateDir: string): string => join(stateDir, 'spool')

/** Makes the directory when nobody has, and removes what a killed process may have left. */
export const emptySpoolDirectory = (stateDir: string): void => {
  const directory = spoolDirectoryOf(stateDir)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.startsWith('berth-body-')) {
      unlinkSync(join(directory, entry.name))
    }
  }
}
