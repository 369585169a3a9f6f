import { invalid } from '#handlers/errors.ts'
import { prefixedDatabaseName } from '#handlers/domain/databases/database-name.ts'
import { USERNAME_PATTERN } from '#handlers/domain/accounts/username.ts'

/** 400 unless `full` is exactly `<username>_` and a valid short name. */
export const requirePrefixed = (username: string, full: string, field: string): void => {
  const prefix = `${username}_`
  if (!full.startsWith(prefix))
    throw invalid(field, `${field} must start with "${prefix}", the account's own prefix.`)
  prefixedDatabaseName(username, full.slice(prefix.length), field)
}

/**
 * Checks names again where they turn into statements. Usernames hold no
 * underscore, so a prefix belongs to exactly one account.
 */
export const checkDatabaseNames = (input: {
  username: string
  database: string
  user: string
}): void => {
  if (!USERNAME_PATTERN.test(input.username))
    throw invalid('username', 'username is not that of a hosting account.')
  requirePrefixed(input.username, input.database, 'db_name')
  requirePrefixed(input.username, input.user, 'db_user')
}
