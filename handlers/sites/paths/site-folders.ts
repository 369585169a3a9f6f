import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { trimEndOf } from '../../../edge-cache/index.ts'
import type { FilePlace } from '../site-files.ts'

/** Where the files of a path lie that is not below the document root. */
interface Folder {
  /** The path of the site, without a final slash. */
  prefix: string
  place: FilePlace
}

/** The folder of the virtual host that a path is in, the longest that fits; null: the document root's. */
const folderOf = ({ folders, home, uid }: VirtualHostConfig, path: string): Folder | null => {
  if (folders === undefined) return null
  let found = null as string | null
  for (const prefix of Object.keys(folders)) {
    const isIn = path === prefix || path.startsWith(`${prefix}/`)
    if (isIn && prefix.length > (found?.length ?? -1)) found = prefix
  }
  if (found === null) return null
  const target = trimEndOf(folders[found] ?? '', '/')
  const rest = path.slice(found.length)
  // The folder itself, or one file that stands at this path.
  const slash = target.lastIndexOf('/')
  const [root, name] = rest === '' ? [target.slice(0, slash), target.slice(slash)] : [target, rest]
  return { prefix: found, place: { root, home: home ?? (root || '/'), uid, path: name } }
}

/** Where a path lies that one of the virtual host's `folders` has; null: below the document root. */
export const folderPlace = (vhost: VirtualHostConfig, path: string): FilePlace | null =>
  vhost.folders === undefined ? null : (folderOf(vhost, path)?.place ?? null)

/** Whether rules of a directory of the site are about a file: a folder elsewhere knows those above it not. */
export const isRuledFrom = (vhost: VirtualHostConfig, directory: string, file: string): boolean => {
  if (vhost.folders === undefined) return true
  const folder = folderOf(vhost, file)
  return folder === null || directory.length > folder.prefix.length
}
