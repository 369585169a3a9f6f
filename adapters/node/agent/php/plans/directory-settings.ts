import { readFileSync } from 'node:fs'
import { directoryIni } from '#handlers/domain/php/directory-ini.ts'
import type { PoolChoice } from '../masters/pool-choice.ts'

/** Settings that the rules of a directory give PHP, as the web server sends them. */
export type DirectorySettings = Readonly<Record<string, string>>

/** A virtual host's choice with a directory's settings over its own. */
export const withDirectorySettings = (
  { version, mode, pool }: PoolChoice,
  { memory_limit: memoryLimit, ...ini }: DirectorySettings,
): PoolChoice => ({
  version,
  mode,
  pool: {
    maxChildren: pool?.maxChildren ?? null,
    memoryLimit: memoryLimit ?? pool?.memoryLimit ?? null,
    ini: { ...pool?.ini, ...ini },
  },
})

/** What a master with a directory's settings was started for; lies beside its configuration. */
export interface DirectoryNote {
  domain: string
  ini: DirectorySettings
}

/** File with the note of the master whose configuration is `<name>.conf`. */
export const noteFile = (configDirectory: string, name: string): string =>
  `${configDirectory}/${name}.ini`

/** Reads a note; null when there is none, or none that holds under today's rules. */
export const readNote = (file: string, homeOf: (domain: string) => string | null) => {
  try {
    const { domain, ini } = JSON.parse(readFileSync(file, 'utf8')) as DirectoryNote
    const home = homeOf(domain)
    if (home === null) return null
    const judged = directoryIni(Object.entries(ini), home)
    return judged.refused.length > 0 ? null : { domain, ini: judged.ini }
  } catch {
    return null
  }
}
