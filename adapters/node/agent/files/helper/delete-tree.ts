import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { at, openPlace, self } from './at.ts'
import { codeOf } from '../../../layout/error-code.ts'

const YIELD_EVERY = 200
/** Deeper directories are first moved up, so that descriptors and stack stay few. */
const MAX_DEPTH = 64

/** Runs `act`; when it is not permitted, opens the directory's mode to its owner and tries once more. */
const withRights = <T>(dirFd: number, act: () => T): T => {
  try {
    return act()
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    chmodSync(self(dirFd), 0o700)
    return act()
  }
}

const ignoringMissing = (act: () => void): void => {
  try {
    act()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/**
 * Removes `name` of the directory `dirFd` with all below it. Goes by
 * descriptors and never follows a link, so it stays inside the tree whatever is
 * swapped meanwhile; missing things are no error. Lets other work run in between.
 */
export const deleteTree = async (dirFd: number, name: Buffer | string): Promise<void> => {
  let count = 0
  const deep: string[] = []

  const removeOne = async (
    parent: number,
    entry: Buffer | string,
    depth: number,
  ): Promise<void> => {
    count += 1
    if (count % YIELD_EVERY === 0) await setImmediate()
    let stat
    try {
      stat = lstatSync(at(parent, entry))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return
      throw error
    }
    if (!stat.isDirectory()) {
      ignoringMissing(() => withRights(parent, () => unlinkSync(at(parent, entry))))
      return
    }
    if (depth > MAX_DEPTH) {
      const moved = `.berth-${randomBytes(8).toString('hex')}.del`
      // A directory can only be moved by who may write to it ('..' changes).
      withRights(parent, () => renameSync(at(parent, entry), at(dirFd, moved)))
      deep.push(moved)
      return
    }
    const fd = withRights(parent, () => openPlace(at(parent, entry)))
    try {
      if ((stat.mode & 0o700) !== 0o700 && stat.uid === process.geteuid?.())
        chmodSync(self(fd), 0o700)
      for (const child of readdirSync(self(fd), { encoding: 'buffer' }))
        await removeOne(fd, child, depth + 1)
    } finally {
      closeSync(fd)
    }
    ignoringMissing(() => withRights(parent, () => rmdirSync(at(parent, entry))))
  }

  await removeOne(dirFd, name, 0)
  for (let next = deep.pop(); next !== undefined; next = deep.pop()) await removeOne(dirFd, next, 0)
}

/** Removes everything in the directory `dirFd`, not the directory. */
export const emptyDirectory = async (dirFd: number): Promise<void> => {
  for (const child of readdirSync(self(dirFd), { encoding: 'buffer' }))
    await deleteTree(dirFd, child)
}
