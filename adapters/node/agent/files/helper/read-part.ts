import { constants, fstatSync, openSync, readSync } from 'node:fs'
import { at, withFd } from './at.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchPath, notAFile } from './helper-error.ts'
import { statOrNull, withPlace } from './resolve.ts'
import type { Home } from './resolve.ts'

/** A part of a regular file. `identity` names its content; with another one than before, 409. */
export const readPart = (
  home: Home,
  path: string,
  part: { offset: number; length: number; identity: string | null },
): { facts: Facts; identity: string; body: Buffer } =>
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
      const identity = `${stat.ino}-${stat.size}-${Math.trunc(stat.mtimeMs)}`
      if (part.identity !== null && part.identity !== identity)
        throw new HelperError(409, `"${path}" was changed while it was read.`)
      const length = Math.max(0, Math.min(part.length, stat.size - part.offset))
      const body = Buffer.alloc(length)
      let have = 0
      for (let got = -1; got !== 0 && have < length; have += got)
        got = readSync(fd, body, have, length - have, part.offset + have)
      return { facts: factsOf(name, stat), identity, body: body.subarray(0, have) }
    })
  })
