import { lstatSync, renameSync } from 'node:fs'
import { at } from './at.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchFolder, noSuchPath } from './helper-error.ts'
import { statOrNull, withPlace } from './resolve.ts'
import type { Home, Place } from './resolve.ts'

/** The place that something new is to get; its folder must be there. */
export const withNewPlace = <T>(home: Home, to: string, work: (place: Place) => T): T => {
  try {
    return withPlace(home, to, { followLast: false }, (place) => {
      if (place.name === '' || statOrNull(place.dirFd, place.name) !== null)
        throw new HelperError(409, `"${to === '' ? '/' : to}" exists already.`)
      return work(place)
    })
  } catch (error) {
    if (!(error instanceof HelperError) || error.status !== 404) throw error
    throw noSuchFolder(to.slice(0, to.lastIndexOf('/')))
  }
}

/** Throws 400 when `to` lies in `path`. */
export const assertOutside = (path: string, to: string): void => {
  if (to === path || to.startsWith(`${path}/`))
    throw new HelperError(400, `"${to}" lies in "${path}" itself.`)
}

/** Gives an entry another name or place; links are moved, not followed, and nothing is overwritten. */
export const move = (home: Home, path: string, to: string): Facts => {
  assertOutside(path, to)
  return withPlace(home, path, { followLast: false }, (from) => {
    if (from.name === '') throw new HelperError(400, 'The home directory itself cannot be moved.')
    if (statOrNull(from.dirFd, from.name) === null) throw noSuchPath(path)
    return withNewPlace(home, to, (place) => {
      renameSync(at(from.dirFd, from.name), at(place.dirFd, place.name))
      return factsOf(place.name, lstatSync(at(place.dirFd, place.name)))
    })
  })
}
