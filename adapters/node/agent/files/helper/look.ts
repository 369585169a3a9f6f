import {
  chmodSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs'
import { readSync, statSync } from 'node:fs'
import { at, openAnyPlace, openPlace, self, withFd } from './at.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchPath, notADirectory, notAFile } from './helper-error.ts'
import { statOrNull, withPlace } from './resolve.ts'
import type { Home } from './resolve.ts'

/** More than any screen shows; a list of a million names would fill the agent's memory. */
const MAX_ENTRIES = 20_000

/** Entries of a directory, links as links, in no order. */
export const list = (home: Home, path: string): Facts[] =>
  withPlace(home, path, { followLast: true }, ({ dirFd, name }) => {
    if (name !== '') {
      const stat = statOrNull(dirFd, name)
      if (stat === null) throw noSuchPath(path)
      if (!stat.isDirectory()) throw notADirectory(path)
    }
    return withFd(openPlace(name === '' ? self(dirFd) + '/.' : at(dirFd, name)), (fd) => {
      const names = readdirSync(self(fd), { encoding: 'buffer' })
      if (names.length > MAX_ENTRIES)
        throw new HelperError(
          413,
          `The directory has ${names.length} entries; up to ${MAX_ENTRIES} can be listed.`,
        )
      return names.flatMap((entry) => {
        try {
          return [factsOf(entry.toString('utf8'), lstatSync(at(fd, entry)))]
        } catch {
          return [] // removed meanwhile
        }
      })
    })
  })

/** Bytes of a regular file of at most `maxBytes`; never waits on a FIFO, never opens a device. */
export const read = (home: Home, path: string, maxBytes: number): { facts: Facts; body: Buffer } =>
  withPlace(home, path, { followLast: true }, ({ dirFd, name }) => {
    if (name === '') throw notAFile(path)
    // Before the open: merely opening some devices and FIFOs has effects.
    const before = statOrNull(dirFd, name)
    if (before === null) throw noSuchPath(path)
    if (!before.isFile()) throw notAFile(path)
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    return withFd(openSync(at(dirFd, name), flags), (fd) => {
      const stat = fstatSync(fd)
      if (!stat.isFile()) throw notAFile(path)
      if (stat.nlink > 1 && stat.uid !== process.getuid?.())
        throw new HelperError(403, `"${path}" is a hard link to a file of another user.`)
      const tooLarge = new HelperError(
        413,
        `"${path}" is larger than the ${maxBytes} bytes that can be read at once.`,
      )
      if (stat.size > maxBytes) throw tooLarge
      const buffer = Buffer.alloc(stat.size + 1)
      let have = 0
      for (let got = -1; got !== 0 && have < buffer.length; have += got)
        got = readSync(fd, buffer, have, buffer.length - have, null)
      if (have > maxBytes) throw tooLarge
      // A file that grew while we read is answered as it was.
      const body = buffer.subarray(0, Math.min(have, stat.size))
      return { facts: { ...factsOf(name, stat), sizeBytes: body.length }, body }
    })
  })

/** Creates a directory and its missing parents, all 0755. */
export const mkdir = (home: Home, path: string): Facts =>
  withPlace(home, path, { followLast: false, makeParents: true }, ({ dirFd, name }) => {
    if (name === '') throw new HelperError(409, 'The home directory exists already.')
    mkdirSync(at(dirFd, name), { mode: 0o755 })
    return factsOf(name, lstatSync(at(dirFd, name)))
  })

/** As `mkdir`, but a directory that is there already is what was wanted. */
export const ensureDirectory = (home: Home, path: string): void =>
  withPlace(home, path, { followLast: true, makeParents: true }, ({ dirFd, name }) => {
    if (name === '') return
    const stat = statOrNull(dirFd, name)
    if (stat === null) mkdirSync(at(dirFd, name), { mode: 0o755 })
    else if (!stat.isDirectory()) throw notADirectory(path)
  })

/** Sets permission bits of a file or directory, on the very inode that was judged. */
export const chmod = (home: Home, path: string, mode: number): Facts =>
  withPlace(home, path, { followLast: true }, ({ dirFd, name }) => {
    if (name === '')
      throw new HelperError(400, 'The permissions of the home directory itself are fixed.')
    return withFd(openAnyPlace(at(dirFd, name)), (fd) => {
      const stat = fstatSync(fd)
      if (!stat.isFile() && !stat.isDirectory()) throw notAFile(path)
      chmodSync(self(fd), mode & 0o777)
      return factsOf(name, statSync(self(fd)))
    })
  })
