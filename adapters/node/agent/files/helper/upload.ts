import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync } from 'node:fs'
import { renameSync, rmSync, writeSync } from 'node:fs'
import { at, withFd } from './at.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchFolder, notAFile, overQuota } from './helper-error.ts'
import { statOrNull, withPlace } from './resolve.ts'
import type { Home } from './resolve.ts'
import { sweepFiles } from './sweep.ts'

/** A file that arrives in pieces: beside its place, under a name that nobody guesses. */
const temporaryName = (token: string): string => `.berth-${token}.tmp`

const inPlace = <T>(
  home: Home,
  path: string,
  work: (place: { dirFd: number; name: string }) => T,
): T => {
  try {
    return withPlace(home, path, { followLast: true }, (place) => {
      if (place.name === '') throw notAFile(path)
      const old = statOrNull(place.dirFd, place.name)
      if (old !== null && !old.isFile()) throw notAFile(path)
      return work(place)
    })
  } catch (error) {
    if (!(error instanceof HelperError) || error.status !== 404) throw error
    throw noSuchFolder(path.slice(0, path.lastIndexOf('/')))
  }
}

/** Begins a file; what takes its place stays as it is until `endUpload`. What was broken off there goes. Answers the token of the pieces. */
export const beginUpload = (home: Home, path: string): string =>
  inPlace(home, path, ({ dirFd }) => {
    sweepFiles(dirFd)
    const token = randomBytes(8).toString('hex')
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    closeSync(openSync(at(dirFd, temporaryName(token)), flags, 0o600))
    return token
  })

const gone = (path: string): HelperError =>
  new HelperError(409, `The upload of "${path}" was removed meanwhile. Send the file again.`)

const openPiece = (dirFd: number, token: string, path: string): number => {
  const stat = statOrNull(dirFd, temporaryName(token))
  if (stat === null || !stat.isFile()) throw gone(path)
  const flags = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  return openSync(at(dirFd, temporaryName(token)), flags)
}

/** Appends a piece at `offset`, which must be the end of what has come so far. */
export const appendUpload = (
  home: Home,
  path: string,
  piece: { token: string; offset: number; availableBytes: number | null },
  content: Buffer,
): void =>
  inPlace(home, path, ({ dirFd }) =>
    withFd(openPiece(dirFd, piece.token, path), (fd) => {
      const stat = fstatSync(fd)
      if (!stat.isFile() || stat.nlink !== 1 || stat.size !== piece.offset) throw gone(path)
      if (piece.availableBytes !== null && content.length > piece.availableBytes)
        throw overQuota(path)
      for (let done = 0; done < content.length;)
        done += writeSync(fd, content, done, content.length - done, piece.offset + done)
    }),
  )

/** Puts the file in its place, with the permission bits of what was there (0644 when new). */
export const endUpload = (
  home: Home,
  path: string,
  { token, size }: { token: string; size: number },
): { facts: Facts; replacedBytes: number } =>
  inPlace(home, path, ({ dirFd, name }) => {
    const old = statOrNull(dirFd, name)
    const mode = old !== null && old.uid === process.getuid?.() ? old.mode & 0o777 : 0o644
    const facts = withFd(openPiece(dirFd, token, path), (fd) => {
      const stat = fstatSync(fd)
      if (!stat.isFile() || stat.nlink !== 1 || stat.size !== size) throw gone(path)
      fchmodSync(fd, mode)
      fsyncSync(fd)
      return factsOf(name, fstatSync(fd))
    })
    renameSync(at(dirFd, temporaryName(token)), at(dirFd, name))
    return { facts, replacedBytes: old !== null && old.nlink === 1 ? old.size : 0 }
  })

/** Removes what has come so far; nothing there is fine. */
export const abortUpload = (home: Home, path: string, token: string): void =>
  inPlace(home, path, ({ dirFd }) => rmSync(at(dirFd, temporaryName(token)), { force: true }))
