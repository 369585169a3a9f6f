import { invalid } from '../../errors.ts'
import { RESERVED_USERNAMES } from './reserved-usernames.ts'

/** Shape of an account's username once lower-cased. */
export const USERNAME_PATTERN = /^(?=.*[a-z])[a-z0-9]{3,16}$/

/**
 * The username of a hosting account, lower-cased: 3-16 ASCII letters and
 * digits, at least one letter, not a reserved name. Throws 400 naming `username`.
 */
export const parseUsername = (input: string): string => {
  // Only ASCII is folded: a look-alike such as the Kelvin sign must not become a `k`.
  if (!/^[A-Za-z0-9]{3,16}$/.test(input)) {
    throw invalid('username', 'username must be 3-16 letters and digits (a-z, 0-9).')
  }
  const username = input.toLowerCase()
  if (!USERNAME_PATTERN.test(username)) {
    throw invalid('username', 'username must contain at least one letter, not digits only.')
  }
  if (RESERVED_USERNAMES.has(username)) {
    throw invalid('username', `username "${username}" is reserved by the system. Choose another.`)
  }
  return username
}
