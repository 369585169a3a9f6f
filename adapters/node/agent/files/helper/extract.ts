import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync } from 'node:fs'
import { openSync, readdirSync, renameSync, symlinkSync, writeSync } from 'node:fs'
import { createEntryRules } from '../../../archives/entry-rules.ts'
import type { TarEntry } from '../../../archives/tar-reader.ts'
import { MAX_ARCHIVE_ENTRIES } from './archive.ts'
import { at, openPlace, self } from './at.ts'
import { deleteTree } from './delete-tree.ts'
import { HelperError, noSuchPath, notADirectory, notAFile, overQuota } from './helper-error.ts'
import { readArchive, refused } from './read-archive.ts'
import { statOrNull, withPlace } from './resolve.ts'
import type { Home, Place } from './resolve.ts'

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

const nameOf = ({ name }: TarEntry): string => {
  const text = Buffer.from(name, 'latin1').toString('utf8')
  if (Buffer.from(text, 'utf8').toString('latin1') !== name)
    throw refused('a name in it is not valid UTF-8')
  return text
}

/** Of a path in the staging directory, where every directory was made by ourselves. */
const isNoDirectory = (error: unknown): boolean =>
  (error instanceof HelperError && error.status === 404) ||
  (error instanceof Error && 'code' in error && error.code === 'ENOTDIR')

const putEntry = async (
  staging: Home,
  entry: TarEntry,
  content: AsyncIterable<Buffer>,
): Promise<void> => {
  const name = nameOf(entry)
  const parent = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : ''
  if (parent !== '')
    withPlace(staging, parent, { followLast: false, makeParents: true }, (place) => {
      if (place.name !== '' && statOrNull(place.dirFd, place.name) === null)
        mkdirSync(at(place.dirFd, place.name), { mode: 0o755 })
    })
  const fd = withPlace(staging, name, { followLast: false }, (place) => {
    const where = at(place.dirFd, place.name)
    const old = statOrNull(place.dirFd, place.name)
    if (entry.type === 'directory') {
      if (old === null) mkdirSync(where, { mode: 0o755 })
      else if (!old.isDirectory()) throw refused(`"${name}" is there twice`)
      return null
    }
    if (old !== null) throw refused(`"${name}" is there twice`)
    if (entry.type === 'file') return openSync(where, CREATE, 0o600)
    symlinkSync(Buffer.from(entry.link, 'latin1'), where)
    return null
  })
  if (fd === null) return
  try {
    for await (const chunk of content)
      for (let done = 0; done < chunk.length;) done += writeSync(fd, chunk, done)
    // Readable by its owner whatever the archive says, so that it can be managed.
    fchmodSync(fd, (entry.mode & 0o777) | 0o400)
  } finally {
    closeSync(fd)
  }
}

/** Entries of `from` that would hide others in `to`: files over anything but files, files at all unless `overwrite`. */
const assertFits = (from: Place, to: Place, overwrite: boolean, shown: string): void => {
  const old = statOrNull(to.dirFd, to.name)
  const fresh = statOrNull(from.dirFd, from.name)
  if (old === null || fresh === null) return
  if (old.isDirectory() !== fresh.isDirectory() || (!old.isDirectory() && !overwrite))
    throw new HelperError(409, `"${shown}" exists already. Nothing was changed.`)
  if (!old.isDirectory()) return
  withBoth(from, to, (source, target) => {
    for (const name of readdirSync(self(source)))
      assertFits({ dirFd: source, name }, { dirFd: target, name }, overwrite, `${shown}/${name}`)
  })
}

const merge = (from: Place, to: Place): void => {
  const old = statOrNull(to.dirFd, to.name)
  if (old === null || !old.isDirectory())
    return renameSync(at(from.dirFd, from.name), at(to.dirFd, to.name))
  withBoth(from, to, (source, target) => {
    for (const name of readdirSync(self(source)))
      merge({ dirFd: source, name }, { dirFd: target, name })
  })
}

const withBoth = (from: Place, to: Place, work: (source: number, target: number) => void): void => {
  const source = openPlace(at(from.dirFd, from.name))
  try {
    const target = openPlace(at(to.dirFd, to.name))
    try {
      work(source, target)
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

const openArchive = (home: Home, path: string): number =>
  withPlace(home, path, { followLast: true }, ({ dirFd, name }) => {
    const stat = name === '' ? null : statOrNull(dirFd, name)
    if (stat === null) throw noSuchPath(path)
    if (!stat.isFile()) throw notAFile(path)
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const fd = openSync(at(dirFd, name), flags)
    const opened = fstatSync(fd)
    if (opened.isFile() && (opened.nlink === 1 || opened.uid === process.getuid?.())) return fd
    closeSync(fd)
    throw notAFile(path)
  })

/**
 * Takes a hostile archive (`.tar.gz`, `.tar`, zip) out into the directory `to`: first
 * all of it into a directory beside, each entry judged, then into place. Names
 * and links stay in `to`, set-id bits are dropped, hard links and devices are refused.
 * Whatever is wrong, nothing is left.
 */
export const extract = async (
  home: Home,
  path: string,
  to: string,
  options: { overwrite: boolean; availableBytes: number | null },
): Promise<{ entries: number; grownBytes: number }> => {
  const { availableBytes, overwrite } = options
  const limit = Math.min(availableBytes ?? Number.MAX_SAFE_INTEGER, 2 ** 40)
  if (limit <= 0) throw overQuota(path)
  const archiveFd = openArchive(home, path)
  let dirFd = -1
  const temporary = `.berth-${randomBytes(8).toString('hex')}.tmp`
  let entries = 0
  let grownBytes = 0
  try {
    dirFd = withPlace(home, to, { followLast: true }, (place) => {
      if (place.name === '') return openPlace(`${self(place.dirFd)}/.`)
      const stat = statOrNull(place.dirFd, place.name)
      if (stat === null) throw noSuchPath(to)
      if (!stat.isDirectory()) throw notADirectory(to)
      return openPlace(at(place.dirFd, place.name))
    })
    mkdirSync(at(dirFd, temporary), { mode: 0o700 })
    const root = to === '' ? home.path : `${home.path}/${to}`
    const staging: Home = { fd: openPlace(at(dirFd, temporary)), path: root }
    try {
      const rules = createEntryRules(root)
      const limits = { maxEntries: MAX_ARCHIVE_ENTRIES, maxBytes: limit }
      await readArchive(archiveFd, limits, async (entry, content) => {
        const problem = entry.name === '' || entry.name === '.' ? '' : rules.problem(entry)
        // The archive's own root, as `tar -C dir .` writes it.
        if (problem === '') return
        if (problem !== null || entry.type === 'other') throw refused(problem ?? 'unknown entry')
        await putEntry(staging, entry, content).catch((error: unknown) => {
          if (isNoDirectory(error)) throw refused('a file in it is a directory too')
          throw error
        })
        entries += 1
        grownBytes += entry.sizeBytes
      })
      for (const name of readdirSync(self(staging.fd)))
        assertFits({ dirFd: staging.fd, name }, { dirFd, name }, overwrite, name)
      for (const name of readdirSync(self(staging.fd)))
        merge({ dirFd: staging.fd, name }, { dirFd, name })
    } finally {
      closeSync(staging.fd)
      await deleteTree(dirFd, temporary)
    }
    return { entries, grownBytes }
  } finally {
    closeSync(archiveFd)
    if (dirFd !== -1) closeSync(dirFd)
  }
}
