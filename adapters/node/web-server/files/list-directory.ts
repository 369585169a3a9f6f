import { accessSync, closeSync, constants, lstatSync } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { nextRound } from '#edge-cache/index.ts'
import type { FileKind, FilePlace, Listed, ListedEntry } from '#handlers/sites/site-files.ts'
import { judgePlace, openDirectory } from './open-judged.ts'

/** Looks that are made without others having their turn: well below a millisecond. */
const AT_ONCE = 100
/** Links of one directory that are followed: each may lead through many. */
const MAX_LINKS = 1000
/** What `readdir` makes of names that are no UTF-8: no address leads to them. */
const UNREADABLE = '\uFFFD'

const statsOf = (path: string): Stats | null => {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}

/** Whether we may do it: as everybody (`mode`), or otherwise. */
const isOpen = (path: string, mode: number, right: number): boolean => {
  if ((mode & right) !== 0) return true
  try {
    accessSync(path, right)
    return true
  } catch {
    return false
  }
}

/** A link is what it leads to, judged as for every request. */
const linked = async (place: FilePlace, path: string, name: string) => {
  const kind = await judgePlace({ ...place, path: `${place.path}${name}` })
  if (kind !== 'file' && kind !== 'directory') return null
  const isDirectory = kind === 'directory'
  return isOpen(path, 0, isDirectory ? constants.X_OK : constants.R_OK) ? { isDirectory } : null
}

/** See `SiteFiles.list`. Everything is looked at below the one descriptor that was judged. */
export const listDirectory = async (
  place: FilePlace,
  max: number,
  isWanted: (name: string) => boolean,
): Promise<Listed | Exclude<FileKind, 'directory'>> => {
  const opened = await openDirectory(place)
  if (opened.kind !== 'directory') return opened.kind
  const { fd } = opened
  try {
    const at = `/proc/self/fd/${fd}`
    const entries: ListedEntry[] = []
    let looked = 0
    let links = 0

    const look = async (found: Dirent): Promise<void> => {
      const { name } = found
      const path = `${at}/${name}`
      const stats = statsOf(path)
      if (stats === null) return
      if (stats.isSymbolicLink()) {
        const seen = ++links > MAX_LINKS ? null : await linked(place, path, name)
        if (seen === null) return
        // The size is the link's own: what it leads to may be another by now.
        entries.push({ name, isDirectory: seen.isDirectory, sizeBytes: 0, mtimeMs: stats.mtimeMs })
        return
      }
      const isDirectory = stats.isDirectory()
      if (!isDirectory && !(stats.isFile() && (place.uid === null || stats.uid === place.uid)))
        return
      if (!isOpen(path, stats.mode, isDirectory ? constants.X_OK : constants.R_OK)) return
      const sizeBytes = isDirectory ? 0 : stats.size
      entries.push({ name, isDirectory, sizeBytes, mtimeMs: stats.mtimeMs })
    }

    for await (const found of await opendir(at, { bufferSize: AT_ONCE })) {
      if (looked === max) return { kind: 'listed', entries, more: true }
      if (++looked % AT_ONCE === 0) await nextRound()
      if (!found.name.includes(UNREADABLE) && isWanted(found.name)) await look(found)
    }
    return { kind: 'listed', entries, more: links > MAX_LINKS }
  } finally {
    closeSync(fd)
  }
}
