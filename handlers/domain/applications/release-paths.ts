import { hasControlCharacters } from '../text/control-characters.ts'

/** Of the files and folders that releases of an application share. */
export const MOST_SHARED_PATHS = 50
const MOST_CHARACTERS = 300

/**
 * Why a text is no path in a release, in the one spelling that is kept; null: it is one. A slash at
 * its end is for the caller to judge. Git's own folder is none: who may write there decides what git
 * runs.
 */
const releasePathFault = (path: string): string | null => {
  if (path.length > MOST_CHARACTERS) return `must be at most ${MOST_CHARACTERS} characters.`
  if (hasControlCharacters(path) || path.includes('\\') || !path.isWellFormed())
    return 'must not contain control characters or "\\".'
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'must lie in the release, e.g. "public", without "." and "..", and no slash first.'
  return parts[0]?.toLowerCase() === '.git' ? 'must not lie in .git.' : null
}

/** Why a text is not the folder of a release that is served; null: it is one. Empty: the release itself. */
export const publicFolderFault = (folder: string): string | null =>
  folder === '' ? null : releasePathFault(folder)

/** Why a text is no file or folder that releases share; null: it is one. A slash at the end: a folder, which is made where it is missing. */
export const sharedPathFault = (path: string): string | null =>
  releasePathFault(path.endsWith('/') ? path.slice(0, -1) : path)

/** Why paths cannot be shared together; null: they can. */
export const sharedPathsFault = (paths: readonly string[]): string | null => {
  if (paths.length > MOST_SHARED_PATHS) return `must be at most ${MOST_SHARED_PATHS} paths.`
  const bare = paths.map((path) => path.replace(/\/$/, '')).sort()
  const inside = bare.find((path, index) =>
    bare.some((other, at) => at !== index && (path === other || path.startsWith(`${other}/`))),
  )
  return inside === undefined ? null : `has ${inside} twice, by itself or in a folder above it.`
}
