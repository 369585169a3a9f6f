import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Names as of run-parts: no hidden files, no copies of editors (`x~`, `x.bak`, `x.dpkg-old`). */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.(?:sh|py|pl|php|js|mjs))?$/
const MAX_HOOKS = 100
const OTHERS_MAY_WRITE = 0o022

/** Programs of one event, and what stood there but is not run. */
export interface FoundHooks {
  /** Absolute, in the order of their names. */
  programs: string[]
  refused: { path: string; reason: string }[]
}

/** What is wrong with an owner and mode; null when nobody but root (or `ownUid`) may write. */
const faultOf = (stat: { uid: number; mode: number }, ownUid: number): string | null => {
  if (stat.uid !== 0 && stat.uid !== ownUid)
    return `belongs to user ${stat.uid}; it must be root's. Fix it: chown root`
  if ((stat.mode & OTHERS_MAY_WRITE) !== 0)
    return 'can be written by others than its owner. Fix it: chmod go-w'
  return null
}

/** The same for a directory and everything above it: whoever may rename one of them chooses what runs. */
const directoryFault = async (directory: string, ownUid: number): Promise<string | null> => {
  for (let path = directory; ; path = dirname(path)) {
    const stat = await lstat(path)
    if (!stat.isDirectory()) return `${path} is no directory (a link is not followed)`
    const sticky = (stat.mode & 0o1000) !== 0 && path !== directory
    const fault = faultOf(sticky ? { ...stat, mode: 0, uid: stat.uid } : stat, ownUid)
    if (fault !== null) return `${path} ${fault}`
    if (path === '/') return null
  }
}

/** Judged on the opened file: a link or a pipe is no program. */
const programFault = async (path: string, ownUid: number): Promise<string | null> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  try {
    const file = await open(path, flags)
    try {
      const stat = await file.stat()
      if (!stat.isFile()) return 'is no plain file'
      if ((stat.mode & 0o111) === 0) return 'is not executable. Fix it: chmod +x'
      return faultOf(stat, ownUid)
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return code === 'ELOOP' ? 'is a link' : `cannot be opened (${code})`
  }
}

/**
 * Programs in `<root>/<event>/`. Only what root alone can change is run, up to the
 * root of the file system; so between the look and the start nobody can exchange it.
 */
export const findHooks = async (
  root: string,
  event: string,
  ownUid: number,
): Promise<FoundHooks> => {
  const directory = join(root, event)
  const found: FoundHooks = { programs: [], refused: [] }
  let names: string[]
  try {
    names = (await readdir(directory)).sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return found
    return { ...found, refused: [{ path: directory, reason: `cannot be read (${code})` }] }
  }
  if (names.length === 0) return found
  const fault = await directoryFault(directory, ownUid)
  if (fault !== null) return { ...found, refused: [{ path: directory, reason: fault }] }
  for (const name of names.slice(0, MAX_HOOKS)) {
    const path = join(directory, name)
    const reason = NAME.test(name) ? await programFault(path, ownUid) : 'has a name that is not run'
    if (reason === null) found.programs.push(path)
    else found.refused.push({ path, reason })
  }
  return found
}
