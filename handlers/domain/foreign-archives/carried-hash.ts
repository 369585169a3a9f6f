import type { CarriedHash } from './foreign-account.ts'

/**
 * The hash of a database user, where a server here takes it over: `*` and 40
 * hexadecimal digits, or the same written as `0x…` of its bytes. Hashes of before
 * MySQL 4.1, of `caching_sha2_password` and of PostgreSQL are not.
 */
export const readCarriedHash = (text: string): CarriedHash => {
  const bytes = /^0x[0-9a-fA-F]{82}$/.test(text) ? fromHex(text.slice(2)) : text
  return /^\*[0-9a-fA-F]{40}$/.test(bytes)
    ? { kind: 'mysql_native_password', text: bytes.toUpperCase() }
    : { kind: 'none' }
}

/** Text of which every two digits are a character. */
export const fromHex = (digits: string): string => {
  let text = ''
  for (let at = 0; at + 1 < digits.length; at += 2)
    text += String.fromCharCode(Number.parseInt(digits.slice(at, at + 2), 16))
  return text
}

/** What a report says of a user whose hash is left behind. */
export const NEW_PASSWORD =
  'Its password cannot be taken over: it gets a new one, which the site’s configuration must be given.'
