import { closeSync, constants, openSync } from 'node:fs'

/** Linux: a descriptor that only names a place; needs no read permission. Not in node's constants. */
const O_PATH = 0o10000000

/**
 * Path of `name` in the directory that `fd` stands for. The kernel resolves
 * `/proc/self/fd/N` to that very directory, wherever it was moved since, which
 * makes every call an `openat`-like one: no ancestor can be swapped under it.
 */
export const at = (fd: number, name: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), Buffer.from(name)])

/** Path of the directory itself. */
export const self = (fd: number): string => `/proc/self/fd/${fd}`

/** A place-descriptor of a directory; a symbolic link in its place is ENOTDIR. */
export const openPlace = (path: Buffer | string): number =>
  openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/** A place-descriptor of anything but a symbolic link's target: the link itself. */
export const openAnyPlace = (path: Buffer | string): number =>
  openSync(path, O_PATH | constants.O_NOFOLLOW)

/** Opens for `work` and closes whatever happens. */
export const withFd = <T>(fd: number, work: (fd: number) => T): T => {
  try {
    return work(fd)
  } finally {
    closeSync(fd)
  }
}
