import { invalid } from '../../errors.ts'
import type { RestoreParts } from '../../ports/host/backups/restore-parts.ts'
import { MAX_RESTORE_PARTS } from '../../ports/host/backups/restore-parts.ts'
import type { BackedUpDatabase } from '../../ports/store/records.ts'
import { parsePathBelowHome } from '../files/home-path.ts'

/** What of a backup somebody asks for: one of the words, or chosen ones. */
export interface RestoreWish {
  what?: 'all' | 'files' | 'databases' | undefined
  paths?: readonly string[] | undefined
  databases?: readonly BackedUpDatabase[] | undefined
}

/** Whether the settings are asked for, which are a part by themselves; throws 400 where anything is named beside. */
export const wantsSettings = ({
  what,
  paths,
  databases,
}: Omit<RestoreWish, 'what'> & { what?: RestoreWish['what'] | 'settings' }): boolean => {
  if (what !== 'settings') return false
  if (paths !== undefined || databases !== undefined)
    throw invalid('what', 'Settings are restored by themselves: name no paths or databases.')
  return true
}

/** In order; what lies in another chosen folder is left out, since it comes with that. */
const outermost = (paths: readonly string[]): string[] => {
  const all = new Set(paths)
  const covered = (path: string): boolean => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (all.has(path.slice(0, end))) return true
    return false
  }
  return [...all].filter((path) => !covered(path)).sort()
}

const bounded = (field: string, count: number): void => {
  if (count > MAX_RESTORE_PARTS)
    throw invalid(
      field,
      `${field} names more than ${MAX_RESTORE_PARTS} things. Choose the folders that they are in.`,
    )
}

/** Parts by what was asked for, with normalised paths; throws 400 naming the field. Nothing asked for is everything. */
export const restoreParts = ({ what, paths, databases }: RestoreWish): RestoreParts => {
  if (paths === undefined && databases === undefined)
    return {
      files: what === 'databases' ? 'none' : 'all',
      databases: what === 'files' ? 'none' : 'all',
    }
  if (what !== undefined)
    throw invalid('what', 'Say either what, or name paths and databases; not both.')
  bounded('paths', paths?.length ?? 0)
  bounded('databases', databases?.length ?? 0)
  const files = outermost((paths ?? []).map((path) => parsePathBelowHome(path, 'paths')))
  const chosen = new Map((databases ?? []).map((one) => [`${one.engine}:${one.database}`, one]))
  if (files.length === 0 && chosen.size === 0)
    throw invalid('paths', 'Nothing is chosen: name a path or a database.')
  return {
    files: files.length === 0 ? 'none' : files,
    databases: chosen.size === 0 ? 'none' : [...chosen.values()],
  }
}
