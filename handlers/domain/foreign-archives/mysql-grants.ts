import { z } from 'zod'
import { fromHex, readCarriedHash } from './carried-hash.ts'
import type { ForeignDatabaseUser } from './foreign-account.ts'

const USAGE =
  /^GRANT USAGE ON \*\.\* TO '([^']{1,80})'@'[^']{0,255}' IDENTIFIED BY PASSWORD '([^']{0,128})';$/
const RIGHTS = /^GRANT ([A-Z ,]{1,400}) ON `([^`]{1,128})`\.\* TO '([^']{1,80})'@'[^']{0,255}';$/

const AUTH = z.record(
  z.string(),
  z.record(z.string(), z.object({ auth_plugin: z.string().optional(), pass_hash: z.string() })),
)

/** Hashes of users by `mysql.sql-auth.json`, in hexadecimal digits or plain. */
const readAuth = (json: string): Map<string, string> => {
  const hashes = new Map<string, string>()
  let parsed: unknown
  try {
    parsed = JSON.parse(json === '' ? '{}' : json)
  } catch {
    return hashes
  }
  for (const [user, hosts] of Object.entries(AUTH.safeParse(parsed).data ?? {}))
    for (const { pass_hash: hash } of Object.values(hosts))
      hashes.set(user, /^(?:[0-9a-fA-F]{2})+$/.test(hash) ? fromHex(hash) : hash)
  return hashes
}

/**
 * Users by database, from cPanel's `mysql.sql` (one grant a line) and
 * `mysql.sql-auth.json`. In names of databases `\_` stands for `_`. What is not a
 * grant of these two forms is skipped.
 */
export const readMysqlGrants = (
  sql: string,
  authJson: string,
): Map<string, ForeignDatabaseUser[]> => {
  const hashes = readAuth(authJson)
  const databases = new Map<string, ForeignDatabaseUser[]>()
  const lines = sql.split('\n').map((line) => line.trim())
  for (const line of lines) {
    const [, user, hash] = USAGE.exec(line) ?? []
    if (user !== undefined && hash !== undefined && !hashes.has(user)) hashes.set(user, hash)
  }
  for (const line of lines) {
    const [, privileges, escaped, user] = RIGHTS.exec(line) ?? []
    if (privileges === undefined || escaped === undefined || user === undefined) continue
    const database = escaped.replaceAll('\\_', '_')
    const users = databases.get(database) ?? []
    databases.set(database, users)
    // The same user from several hosts is one here.
    if (users.some(({ name }) => name === user)) continue
    users.push({
      name: user,
      hash: readCarriedHash(hashes.get(user) ?? ''),
      privileges: privileges.split(',').map((one) => one.trim()),
    })
  }
  return databases
}
