import { closeSync, lstatSync, mkdirSync, readlinkSync } from 'node:fs'
import { at, openPlace } from './at.ts'
import { HelperError, leadsOutside, noSuchPath } from './helper-error.ts'
import { codeOf } from '../../../layout/error-code.ts'

/** The home: a descriptor of it, and its absolute path for links that name it. */
export interface Home {
  fd: number
  path: string
}

/** A directory and a name in it; name '' is the directory itself. */
export interface Place {
  dirFd: number
  name: string
}

const MAX_DEPTH = 256
const MAX_LINKS = 40

interface Options {
  /** Whether a link as the last part is followed (inside the home) or is what is meant. */
  followLast: boolean
  /** Create missing directories on the way, 0755. */
  makeParents?: boolean
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** A place and the descriptors that were opened on the way to it. */
interface HeldPlace {
  place: Place
  release(): void
}

const holdPlace = (home: Home, path: string, options: Options): HeldPlace => {
  const stack: number[] = []
  const top = (): number => stack.at(-1) ?? home.fd
  const release = (): void => {
    for (let fd = stack.pop(); fd !== undefined; fd = stack.pop()) closeSync(fd)
  }
  const pop = (): void => {
    const fd = stack.pop()
    if (fd === undefined) throw leadsOutside(path)
    closeSync(fd)
  }
  const partsOfLink = (target: string): string[] => {
    if (!target.startsWith('/')) return target.split('/')
    if (target !== home.path && !target.startsWith(`${home.path}/`)) throw leadsOutside(path)
    release()
    return target.slice(home.path.length).split('/')
  }
  const enter = (part: string): void => {
    if (stack.length >= MAX_DEPTH)
      throw new HelperError(400, `The path is nested deeper than ${MAX_DEPTH} directories.`)
    stack.push(openPlace(at(top(), part)))
  }
  const walk = (): Place => {
    let pending = path.split('/')
    if (pending.includes('..') || path.includes('\0'))
      throw new HelperError(400, 'The path must not contain ".." or NUL.')
    for (let links = 0; ;) {
      const part = pending.shift()
      if (part === undefined) return { dirFd: top(), name: '' }
      if (part === '' || part === '.') continue
      if (part === '..') {
        pop()
        continue
      }
      const last = pending.every((next) => next === '' || next === '.')
      const facts = statOrNull(top(), part)
      if (facts === null) {
        if (last) return { dirFd: top(), name: part }
        if (!options.makeParents) throw noSuchPath(path)
        mkdirSync(at(top(), part), { mode: 0o755 })
        enter(part)
      } else if (facts.isSymbolicLink() && (!last || options.followLast)) {
        links += 1
        if (links > MAX_LINKS) throw leadsOutside(path)
        pending = [...partsOfLink(readlinkSync(at(top(), part))), ...pending]
      } else if (last) {
        return { dirFd: top(), name: part }
      } else {
        enter(part)
      }
    }
  }
  try {
    return { place: walk(), release }
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Walks `path` part by part from the home, holding a descriptor of each
 * directory passed, and hands the place to `use`. Links are expanded here, not
 * by the kernel, and one that climbs above the home or names a place outside is
 * refused even where the account could read it. 404 when a directory is missing.
 */
export const withPlace = <T>(
  home: Home,
  path: string,
  options: Options,
  use: (place: Place) => T,
): T => {
  const held = holdPlace(home, path, options)
  try {
    return use(held.place)
  } finally {
    held.release()
  }
}

/** As `withPlace`, for work that takes its time. */
export const withPlaceAsync = async (
  home: Home,
  path: string,
  options: Options,
  use: (place: Place) => Promise<void>,
): Promise<void> => {
  const held = holdPlace(home, path, options)
  try {
    await use(held.place)
  } finally {
    held.release()
  }
}

/** lstat of a name in a directory, or null when there is none. */
export const statOrNull = (dirFd: number, name: string) => {
  try {
    return lstatSync(at(dirFd, name))
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
