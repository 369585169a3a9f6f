import { invalid } from '../../errors.ts'

/** A path below the home as it was given, without slashes at its ends ('' is the home); 400 with `field` for one that leads elsewhere. */
export const snapshotPath = (given: string, field: 'path' | 'directory'): string => {
  const parts = given.split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '.' || part === '..') || given.includes('\0'))
    throw invalid(field, `"${given}" is not a path below the home.`)
  return parts.join('/')
}
