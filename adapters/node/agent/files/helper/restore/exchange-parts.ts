import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, rmdirSync } from 'node:fs'
import { at, openPlace, withFd } from '../at.ts'
import { HelperError } from '../helper-error.ts'
import { renameOwn } from './rename-own.ts'
import { statOrNull } from '../resolve.ts'
import type { Home } from '../resolve.ts'
import { codeOf } from '../../../../layout/error-code.ts'

const ROOMS = ['new', 'old', 'moved'] as const

type Rooms = Record<(typeof ROOMS)[number] | 'root', number>

const ensure = (fd: number, name: string): void => {
  if (statOrNull(fd, name) === null) mkdirSync(at(fd, name), { mode: 0o700 })
}

const withRooms = (home: Home, staging: string, work: (rooms: Rooms) => void): void =>
  withFd(openPlace(at(home.fd, staging)), (root) => {
    for (const name of ROOMS) ensure(root, name)
    withFd(openPlace(at(root, 'new')), (fresh) =>
      withFd(openPlace(at(root, 'old')), (old) =>
        withFd(openPlace(at(root, 'moved')), (moved) => work({ root, new: fresh, old, moved })),
      ),
    )
  })

const late = (): string => `late-${randomBytes(8).toString('hex')}`

const inTheWay = (path: string, part: string): HelperError =>
  new HelperError(
    409,
    `"${path}" cannot be put back: "${part}" is no folder now but a link or a file, or it is gone. Move it away or restore it as well. Nothing was changed.`,
  )

const NO_FOLDER = ['ENOENT', 'ENOTDIR', 'ELOOP']

/**
 * Walks the folders above `path` without following any link and hands the last one
 * to `work`. With `aside` a folder that is gone is made anew, and what has taken its
 * place is moved there: what was kept always finds its place again.
 */
const inFolderOf = (
  home: Home,
  path: string,
  aside: number | null,
  work: (fd: number, name: string) => void,
): void => {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  let held: number | null = null
  try {
    for (const [depth, part] of parts.entries()) {
      const above: number = held ?? home.fd
      let next: number
      try {
        next = openPlace(at(above, part))
      } catch (error) {
        if (!NO_FOLDER.includes(codeOf(error))) throw error
        if (aside === null) throw inTheWay(path, parts.slice(0, depth + 1).join('/'))
        if (statOrNull(above, part) !== null) renameOwn(at(above, part), at(aside, late()))
        mkdirSync(at(above, part), { mode: 0o755 })
        next = openPlace(at(above, part))
      }
      if (held !== null) closeSync(held)
      held = next
    }
    work(held ?? home.fd, name)
  } finally {
    if (held !== null) closeSync(held)
  }
}

/** How many parts of `path`, but for its last one, are folders in the home now; 409 for one that is a link or a file. */
const foldersOf = (home: Home, path: string): number => {
  const parts = path.split('/').slice(0, -1)
  const held: number[] = []
  try {
    for (const [depth, part] of parts.entries())
      try {
        held.push(openPlace(at(held.at(-1) ?? home.fd, part)))
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return depth
        if (!NO_FOLDER.includes(codeOf(error))) throw error
        throw inTheWay(path, parts.slice(0, depth + 1).join('/'))
      }
    return parts.length
  } finally {
    for (const fd of held) closeSync(fd)
  }
}

/**
 * Takes what was extracted into `<staging>/tree` apart: the n-th of the paths that it
 * answers is `<staging>/new/n`. Where folders above a path are missing in the home, the
 * path is that of the first missing one, so that each is one rename. 409 where a link
 * or file stands where a folder was.
 */
export const arrangeParts = (home: Home, staging: string, paths: readonly string[]): string[] => {
  const places = new Set<string>()
  withRooms(home, staging, (rooms) =>
    withFd(openPlace(at(rooms.root, 'tree')), (tree) => {
      for (const path of paths) {
        const place = path
          .split('/')
          .slice(0, foldersOf(home, path) + 1)
          .join('/')
        if (places.has(place)) continue
        inFolderOf({ ...home, fd: tree }, place, null, (fd, name) =>
          renameOwn(at(fd, name), at(rooms.new, String(places.size))),
        )
        places.add(place)
      }
    }),
  )
  return [...places]
}

/**
 * Puts `<staging>/new/n` in the place of the n-th path and what was there into
 * `<staging>/old/n`; where there is no `new/n` the place is empty afterwards. Renames
 * alone, and no link is followed: nothing is lost wherever it is interrupted, and
 * `exchangeBack` reverts it from any point.
 */
export const exchangeIn = (home: Home, staging: string, paths: readonly string[]): void =>
  withRooms(home, staging, (rooms) => {
    for (const [index, path] of paths.entries()) {
      const key = String(index)
      inFolderOf(home, path, null, (fd, name) => {
        const place = at(fd, name)
        if (statOrNull(rooms.moved, key) === null) {
          const kept = statOrNull(rooms.old, key) !== null
          if (statOrNull(fd, name) !== null)
            renameOwn(place, kept ? at(rooms.root, late()) : at(rooms.old, key))
          // From here on what lies in the place is not old.
          mkdirSync(at(rooms.moved, key), { mode: 0o700 })
        }
        if (statOrNull(rooms.new, key) === null) return
        // What the account's programs have put there meanwhile.
        if (statOrNull(fd, name) !== null) renameOwn(place, at(rooms.root, late()))
        renameOwn(at(rooms.new, key), place)
      })
    }
  })

/** Puts back what `exchangeIn` took out; no effect on paths that it did not come to. May be repeated. */
export const exchangeBack = (home: Home, staging: string, paths: readonly string[]): void => {
  if (statOrNull(home.fd, staging) === null) return
  withRooms(home, staging, (rooms) => {
    for (const [index, path] of paths.entries()) {
      const key = String(index)
      const moved = statOrNull(rooms.moved, key) !== null
      if (!moved && statOrNull(rooms.old, key) === null) continue
      inFolderOf(home, path, rooms.root, (fd, name) => {
        const place = at(fd, name)
        if (moved) {
          if (statOrNull(fd, name) !== null) {
            const free = statOrNull(rooms.new, key) === null
            renameOwn(place, free ? at(rooms.new, key) : at(rooms.root, late()))
          }
          rmdirSync(at(rooms.moved, key))
        }
        if (statOrNull(rooms.old, key) === null) return
        if (statOrNull(fd, name) !== null) renameOwn(place, at(rooms.root, late()))
        renameOwn(at(rooms.old, key), place)
      })
    }
  })
}

/** Makes what `from` has kept (`old`) what `to` is to bring (`new`): one rename. */
export const handOver = (home: Home, from: string, to: string): void =>
  withFd(openPlace(at(home.fd, from)), (source) =>
    withFd(openPlace(at(home.fd, to)), (target) => {
      if (statOrNull(source, 'old') === null)
        throw new HelperError(409, 'Nothing is kept any more.')
      if (statOrNull(target, 'new') !== null) rmdirSync(at(target, 'new'))
      renameOwn(at(source, 'old'), at(target, 'new'))
    }),
  )

/** Reverts `handOver`; no effect when it did not come to pass. */
export const handBack = (home: Home, from: string, to: string): void => {
  if (statOrNull(home.fd, from) === null || statOrNull(home.fd, to) === null) return
  withFd(openPlace(at(home.fd, from)), (source) =>
    withFd(openPlace(at(home.fd, to)), (target) => {
      if (statOrNull(source, 'old') === null && statOrNull(target, 'new') !== null)
        renameOwn(at(target, 'new'), at(source, 'old'))
    }),
  )
}
