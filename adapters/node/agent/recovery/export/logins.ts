import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { RegisteredAccount, RegisteredDatabase } from '../../registry/types.ts'
import { aliasesOf } from '../../sftp/users/alias-users.ts'
import { osUser } from '../../accounts/os-names.ts'
import { readVerifiers } from './verifiers.ts'
import type { DatabasesConfig, PathsConfig } from '#handlers/domain/config/config-types.ts'

const oneLine = (most: number) =>
  z
    .string()
    .max(most)
    // eslint-disable-next-line no-control-regex
    .regex(/^[^\u0000-\u001f:]*$/)

const loginsSchema = z.object({
  accounts: z.array(
    z.object({
      username: z.string().regex(/^[a-z0-9]{3,16}$/),
      /** The field of shadow(5), `!` before it where the login is locked. */
      hash: oneLine(512).min(1),
      /** Days since 1970, or empty. */
      expire_day: z.string().regex(/^-?\d{0,9}$/),
      shell: z.string().regex(/^\/[\w./+-]{1,200}$/),
    }),
  ),
  /** Users of accounts for one folder each; older exports know none. */
  folder_users: z
    .array(
      z.object({
        account: z.string().regex(/^[a-z0-9]{3,16}$/),
        name: z.string().regex(/^[a-z0-9]{3,16}_[a-z0-9]{1,15}$/),
        hash: oneLine(512).min(1),
      }),
    )
    .default([]),
  databases: z.array(
    z.object({
      engine: z.enum(['mariadb', 'mysql', 'postgresql']),
      user: z.string().regex(/^[a-z0-9_]{1,80}$/),
      /** What the server keeps instead of the password. */
      verifier: z.string().regex(/^(?:\*[0-9A-F]{40}|SCRAM-SHA-256\$[A-Za-z0-9+/=:$]{1,300})$/),
    }),
  ),
})

/** What people and applications log in with, as far as the machine knows it: hashes. */
export type Logins = z.infer<typeof loginsSchema>

/** Throws for what this program never writes. */
export const parseLogins = (text: string): Logins => loginsSchema.parse(JSON.parse(text))

/**
 * Reads what the system and the database servers keep of the accounts' passwords.
 * `leftOut` tells what could not be read, by its place.
 */
export const readLogins = async (
  owners: readonly Pick<RegisteredAccount, 'username' | 'uid'>[],
  databases: readonly Pick<RegisteredDatabase, 'engine' | 'user'>[],
  config: { databases: DatabasesConfig; paths: PathsConfig },
): Promise<{ logins: Logins; leftOut: string[] }> => {
  const leftOut: string[] = []
  const lines = readFileSync('/etc/shadow', 'utf8').split('\n')
  const shadow = new Map(
    lines.map((line) => line.split(':')).map((fields) => [fields[0] ?? '', fields]),
  )
  const accounts: Logins['accounts'] = []
  const folderUsers: Logins['folder_users'] = []
  // Nothing would be a login without a password.
  const hashOf = (fields: readonly string[]): string => fields[1] || '!'
  for (const { username, uid } of owners) {
    const fields = shadow.get(username)
    const user = await osUser(username)
    if (fields === undefined || user === null) {
      leftOut.push(`the system has no user ${username}, so its password is not in the export`)
      continue
    }
    accounts.push({
      username,
      hash: hashOf(fields),
      expire_day: fields[7] ?? '',
      shell: user.shell,
    })
    for (const name of await aliasesOf({ username, uid }))
      folderUsers.push({ account: username, name, hash: hashOf(shadow.get(name) ?? []) })
  }
  const read = await readVerifiers(databases, config)
  return {
    logins: { accounts, folder_users: folderUsers, databases: read.verifiers },
    leftOut: [...leftOut, ...read.leftOut],
  }
}
