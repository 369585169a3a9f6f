import { conflict, notFound } from '#handlers/errors.ts'
import type { Registry } from '../../registry/types.ts'
import type { Engine } from '../engine.ts'
import { servedGrants } from './served-grants.ts'

interface Names {
  username: string
  from: string
  to: string
}

/** 404 for a user that is not the account's, 409 where the new name is taken. */
export const requireRenamable = async (
  registry: Registry,
  engine: Engine,
  { username, from, to }: Names,
): Promise<void> => {
  const owns = registry
    .databasesOf(username)
    .some((row) => row.engine === engine.name && row.user === from)
  if (!owns && registry.databaseUser(engine.name, from)?.username !== username)
    throw notFound(`Account ${username} has no database user ${from}.`)
  if (registry.databaseUser(engine.name, to) || (await engine.users.exists(to)))
    throw conflict(`Database user ${to} exists already. Choose another name.`, 'name')
}

/** Renames a user of either kind at the server, then in the records; what is done already is no error. */
export const renameUser = async (
  registry: Registry,
  engine: Engine,
  { username, from, to }: Names,
): Promise<void> => {
  const owned = registry
    .databasesOf(username)
    .find((row) => row.engine === engine.name && (row.user === from || row.user === to))
  await engine.users.rename(from, to, owned?.database ?? null)
  if (owned === undefined) return registry.renameDatabaseUser(engine.name, from, to)
  registry.renameDatabaseOwner(engine.name, owned.database, to)
  // Whoever turns into the database's user turns into the new name.
  for (const row of registry.databaseUsersOf(username)) {
    if (row.engine !== engine.name) continue
    if (!row.grants.some((one) => one.database === owned.database && one.rights === 'all')) continue
    const grants = servedGrants(registry, engine.name, row.grants)
    await engine.users.setGrants(row.user, grants, grants)
  }
}
