import { randomBytes } from 'node:crypto'
import {
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs'
import { readlinkSync, readSync, renameSync, symlinkSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { at, openPlace, self, withFd } from './at.ts'
import { deleteTree } from './delete-tree.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchPath, overQuota } from './helper-error.ts'
import { assertOutside, withNewPlace } from './move.ts'
import { statOrNull, withPlaceAsync } from './resolve.ts'
import type { Home, Place } from './resolve.ts'

const PIECE_BYTES = 256 * 1024
const MAX_ENTRIES = 200_000
const MAX_DEPTH = 200

interface Copying {
  path: string
  entries: number
  bytes: number
  /** Null: no bound. */
  availableBytes: number | null
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

const copyFile = async (from: Place, to: Place, state: Copying): Promise<void> => {
  const source = openSync(at(from.dirFd, from.name), READ)
  await withFdAsync(source, async () => {
    const stat = fstatSync(source)
    if (!stat.isFile() || (stat.nlink > 1 && stat.uid !== process.getuid?.())) return
    const target = openSync(at(to.dirFd, to.name), CREATE, 0o600)
    await withFdAsync(target, async () => {
      const piece = Buffer.alloc(PIECE_BYTES)
      for (let got = readSync(source, piece); got > 0; got = readSync(source, piece)) {
        state.bytes += got
        if (state.availableBytes !== null && state.bytes > state.availableBytes)
          throw overQuota(state.path)
        for (let done = 0; done < got;) done += writeSync(target, piece, done, got - done)
        await setImmediate()
      }
      fchmodSync(target, stat.mode & 0o777)
    })
  })
}

const withFdAsync = async (fd: number, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } finally {
    withFd(fd, () => undefined)
  }
}

const copyAny = async (from: Place, to: Place, state: Copying, depth: number): Promise<void> => {
  state.entries += 1
  if (state.entries > MAX_ENTRIES || depth > MAX_DEPTH)
    throw new HelperError(413, `"${state.path}" holds too many entries, or too deep ones, to copy.`)
  const stat = lstatSync(at(from.dirFd, from.name))
  if (stat.isSymbolicLink())
    return symlinkSync(
      readlinkSync(at(from.dirFd, from.name), { encoding: 'buffer' }),
      at(to.dirFd, to.name),
    )
  if (stat.isFile()) return copyFile(from, to, state)
  // Sockets, pipes and devices are left out.
  if (!stat.isDirectory()) return
  mkdirSync(at(to.dirFd, to.name), { mode: 0o700 })
  const source = openPlace(at(from.dirFd, from.name))
  await withFdAsync(source, async () => {
    const target = openPlace(at(to.dirFd, to.name))
    await withFdAsync(target, async () => {
      for (const name of readdirSync(self(source)))
        await copyAny({ dirFd: source, name }, { dirFd: target, name }, state, depth + 1)
    })
  })
  withFd(openSync(at(to.dirFd, to.name), constants.O_RDONLY | constants.O_NOFOLLOW), (fd) =>
    fchmodSync(fd, stat.mode & 0o777),
  )
}

/**
 * Copies a file, a link as a link, or a directory with all in it; nothing is
 * overwritten. The copy appears when it is whole; one that fails leaves nothing.
 */
export const copyTree = async (
  home: Home,
  path: string,
  to: string,
  availableBytes: number | null,
): Promise<{ facts: Facts; grownBytes: number }> => {
  assertOutside(path, to)
  const state: Copying = { path, entries: 0, bytes: 0, availableBytes }
  let facts: Facts | null = null
  await withPlaceAsync(home, path, { followLast: false }, async (from) => {
    if (from.name === '') throw new HelperError(400, 'The home directory itself cannot be copied.')
    if (statOrNull(from.dirFd, from.name) === null) throw noSuchPath(path)
    withNewPlace(home, to, () => undefined)
    await withPlaceAsync(home, to, { followLast: false }, async ({ dirFd, name }) => {
      const temporary = `.berth-${randomBytes(8).toString('hex')}.tmp`
      try {
        await copyAny(from, { dirFd, name: temporary }, state, 0)
        if (statOrNull(dirFd, temporary) === null)
          throw new HelperError(
            409,
            `"${path}" is not a file, directory or link that can be copied.`,
          )
        if (statOrNull(dirFd, name) !== null) throw new HelperError(409, `"${to}" exists already.`)
        renameSync(at(dirFd, temporary), at(dirFd, name))
      } catch (error) {
        if (statOrNull(dirFd, temporary) !== null) await deleteTree(dirFd, temporary)
        throw error
      }
      facts = factsOf(name, lstatSync(at(dirFd, name)))
    })
  })
  if (facts === null) throw noSuchPath(to)
  return { facts, grownBytes: state.bytes }
}
