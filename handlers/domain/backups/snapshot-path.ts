import { invalid } from '../../errors.ts'

/** Whether it stays below the home. More than `parseHomePath` allows: a snapshot holds whatever names there were. */
export const isBelowHome = (given: string): boolean =>
  !given.includes('\0') && given.split('/').every((part) => part !== '.' && part !== '..')

/** A path below the home as it was given, without slashes at its ends ('' is the home); 400 with `field` for one that leads elsewhere. */
export const snapshotPath = (given: string, field: 'path' | 'directory'): string => {
  if (!isBelowHome(given)) throw invalid(field, `"${given}" is not a path below the home.`)
  return given
    .split('/')
    .filter((part) => part !== '')
    .join('/')
}
