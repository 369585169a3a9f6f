import { invalid } from '../../errors.ts'
import { hasControlCharacters } from '../text/control-characters.ts'

const MAX_PATH_BYTES = 4095
const MAX_NAME_BYTES = 255
const bytes = (text: string) => new TextEncoder().encode(text).length

/**
 * A path relative to an account's home, normalised: no leading or trailing
 * slash, no empty or `.` segments; '' and `/` are the home itself. Any other
 * absolute path is refused: it could mean the host's as well as the home's. `..`
 * is refused rather than resolved, so that no later reader can resolve it
 * differently; so are NUL and control characters, backslashes, lone surrogates, and names or paths that
 * Linux would not take (255 / 4095 bytes). Throws 400 naming `field`.
 */
export const parseHomePath = (input: string, field = 'path'): string => {
  const refuse = (why: string) => invalid(field, `${field} is not usable: ${why}`)
  if (hasControlCharacters(input)) throw refuse('it contains control characters.')
  if (input.includes('\\')) throw refuse('it contains a backslash; separate folders with "/".')
  if (!input.isWellFormed()) throw refuse('it is not valid Unicode.')
  if (/^\/+[^/]/.test(input)) {
    throw refuse('it is absolute; write it relative to the home, without a leading "/".')
  }
  const segments = input.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..')) throw refuse('".." is not allowed; write the path without it.')
  if (segments.some((segment) => bytes(segment) > MAX_NAME_BYTES)) {
    throw refuse(`a name in it is longer than ${MAX_NAME_BYTES} bytes.`)
  }
  const path = segments.join('/')
  if (bytes(path) > MAX_PATH_BYTES) throw refuse(`it is longer than ${MAX_PATH_BYTES} bytes.`)
  return path
}

/** As `parseHomePath`, for operations that need something below the home itself. */
export const parsePathBelowHome = (input: string, field = 'path'): string => {
  const path = parseHomePath(input, field)
  if (path === '') throw invalid(field, `${field} must name something inside the home directory.`)
  return path
}
