import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync } from 'node:fs'
import { renameSync, rmSync, writeSync } from 'node:fs'
import { at } from './at.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchFolder, notAFile, overQuota } from './helper-error.ts'
import { statOrNull, withPlace } from './resolve.ts'
import type { Home } from './resolve.ts'

/** Left by a helper that was killed in the middle of a write. */
export const TEMPORARY_NAME = /^\.berth-[0-9a-f]{16}\.tmp$/

/**
 * Replaces a file: all bytes go to a temporary file beside it, which takes the
 * old one's permission bits (0644 when new), is synced and renamed over it. A
 * hard link to another file is thereby cut, not written through. With
 * `availableBytes`, growing by more than that is refused before anything is written.
 */
export const writeFile = (
  home: Home,
  path: string,
  content: Buffer,
  availableBytes: number | null,
): { facts: Facts; grownBytes: number } => {
  try {
    return replace(home, path, content, availableBytes)
  } catch (error) {
    // The file itself may be new, so what is missing is the folder it should go to.
    if (!(error instanceof HelperError) || error.status !== 404) throw error
    throw noSuchFolder(path.slice(0, path.lastIndexOf('/')))
  }
}

const replace = (
  home: Home,
  path: string,
  content: Buffer,
  availableBytes: number | null,
): { facts: Facts; grownBytes: number } =>
  withPlace(home, path, { followLast: true }, ({ dirFd, name }) => {
    if (name === '') throw notAFile(path)
    const old = statOrNull(dirFd, name)
    if (old !== null && !old.isFile()) throw notAFile(path)
    const grownBytes = content.length - (old !== null && old.nlink === 1 ? old.size : 0)
    if (availableBytes !== null && grownBytes > 0 && grownBytes > availableBytes)
      throw overQuota(path)
    const mode = old !== null && old.uid === process.getuid?.() ? old.mode & 0o777 : 0o644
    const temporary = at(dirFd, `.berth-${randomBytes(8).toString('hex')}.tmp`)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    const fd = openSync(temporary, flags, 0o600)
    try {
      let facts: Facts
      try {
        for (let done = 0; done < content.length;) done += writeSync(fd, content, done)
        fchmodSync(fd, mode)
        fsyncSync(fd)
        facts = factsOf(name, fstatSync(fd))
      } finally {
        closeSync(fd)
      }
      renameSync(temporary, at(dirFd, name))
      return { facts, grownBytes }
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
