import { invalid } from '../../errors.ts'

/** The part of a database or database user name after the prefix. */
const SHORT_NAME = /^[a-z0-9_]{1,32}$/

/** `<username>_<name>`; throws 400 naming `field` when `name` is not 1-32 of a-z, 0-9 and `_`. */
export const prefixedDatabaseName = (username: string, name: string, field: string): string => {
  if (!SHORT_NAME.test(name)) {
    throw invalid(field, `${field} must be 1-32 characters of a-z, 0-9 and "_".`)
  }
  return `${username}_${name}`
}

/** Full names that a name in a URL may mean: it is given short or in full. */
export const databaseNameCandidates = (username: string, name: string): string[] =>
  name.startsWith(`${username}_`) ? [name, `${username}_${name}`] : [`${username}_${name}`]
