import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import type { Stats } from 'node:fs'
import type { FileKind, FilePlace } from '#handlers/sites/site-files.ts'
import { openFairly } from './open-fairly.ts'

/** Names a file without opening it: no FIFO waits, no device notices. Not among Node's constants. */
const O_PATH = 0o10000000
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
/** Says ENOTDIR of everything else, before a device or FIFO notices. */
const READ_DIRECTORY =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK | constants.O_NOCTTY

/** How long the real path of a home is believed. Only root can move a home. */
const HOME_BELIEVED_MS = 5000
const MAX_HOMES = 20_000

/** An open descriptor and what it is. Only `file` leaves a descriptor open. */
export type Judged =
  { kind: 'file'; fd: number; stats: Stats } | { kind: Exclude<FileKind, 'file'> }

const MISSING: Judged = { kind: 'missing' }
const DENIED: Judged = { kind: 'denied' }

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** EAGAIN: the owner holds a lease on the file, and would have us wait. */
const REFUSED = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'ENODEV', 'ESTALE', 'EAGAIN'])

/** What a failed open says; anything else is a fault of the machine. */
const kindOfFailure = (error: unknown): Judged => {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return MISSING
  if (REFUSED.has(code)) return DENIED
  throw error
}

const homes = new Map<string, { real: string; untilMs: number }>()

const realHome = (home: string): string => {
  const now = performance.now()
  const known = homes.get(home)
  if (known && known.untilMs > now) return known.real
  if (homes.size >= MAX_HOMES) homes.clear()
  const real = realpathSync.native(home)
  homes.set(home, { real, untilMs: now + HOME_BELIEVED_MS })
  return real
}

const insideOf = (home: string, path: string): boolean =>
  path === home || path.startsWith(home === '/' ? '/' : `${home}/`)

/**
 * Judges what a descriptor is: however the path led there, and whatever the
 * tenant swaps meanwhile, this is the file that will be read.
 */
const judgeDescriptor = (fd: number, { home, uid }: FilePlace): Judged => {
  const stats = fstatSync(fd)
  const directory = stats.isDirectory()
  if (!directory && !stats.isFile()) return DENIED
  if (!insideOf(realHome(home), readlinkSync(`/proc/self/fd/${fd}`))) return DENIED
  if (directory) return { kind: 'directory' }
  // A hard link to someone else's file keeps its owner.
  return uid !== null && stats.uid !== uid ? DENIED : { kind: 'file', fd, stats }
}

const openAndJudge = async (path: string, flags: number, place: FilePlace): Promise<Judged> => {
  const opened = openFairly(place.home, path, flags)
  const fd = typeof opened === 'number' ? opened : await opened
  let keep = false
  try {
    const judged = judgeDescriptor(fd, place)
    keep = judged.kind === 'file'
    return judged
  } finally {
    if (!keep) closeSync(fd)
  }
}

/** Judges a path, links included, on a descriptor that can read nothing. */
const openPath = (place: FilePlace): Promise<Judged> =>
  openAndJudge(`${place.root}${place.path}`, O_PATH | constants.O_NONBLOCK, place)

/** Follows a link as the last part: the target is judged first, then that very file is opened for reading. */
const openLinked = async (place: FilePlace): Promise<Judged> => {
  const judged = await openPath(place)
  if (judged.kind !== 'file') return judged
  try {
    const fd = openSync(
      `/proc/self/fd/${judged.fd}`,
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    )
    return { ...judged, fd }
  } finally {
    closeSync(judged.fd)
  }
}

/** Opens a file of a site for reading. The caller closes the descriptor. */
export const openForReading = async (place: FilePlace): Promise<Judged> => {
  try {
    return await openAndJudge(`${place.root}${place.path}`, READ, place)
  } catch (error) {
    if (codeOf(error) !== 'ELOOP') return kindOfFailure(error)
  }
  try {
    return await openLinked(place)
  } catch (error) {
    return kindOfFailure(error)
  }
}

/** Opens a directory for reading its names; `fd` is the caller's to close. */
export const openDirectory = async (
  place: FilePlace,
): Promise<{ kind: 'directory'; fd: number } | { kind: Exclude<FileKind, 'directory'> }> => {
  let fd: number | null = null
  try {
    const opened = openFairly(place.home, `${place.root}${place.path}`, READ_DIRECTORY)
    fd = typeof opened === 'number' ? opened : await opened
    if (insideOf(realHome(place.home), readlinkSync(`/proc/self/fd/${fd}`)))
      return { kind: 'directory', fd }
    closeSync(fd)
    return { kind: 'denied' }
  } catch (error) {
    if (fd !== null) closeSync(fd)
    // What is no directory, or cannot be read, has no names to show.
    const { kind } = kindOfFailure(error)
    return { kind: kind === 'directory' ? 'denied' : kind }
  }
}

/** What lies at a place, without opening it for reading. */
export const judgePlace = async (place: FilePlace): Promise<FileKind> => {
  try {
    const judged = await openPath(place)
    if (judged.kind === 'file') closeSync(judged.fd)
    return judged.kind
  } catch (error) {
    return kindOfFailure(error).kind
  }
}
