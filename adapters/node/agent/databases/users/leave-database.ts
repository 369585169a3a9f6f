import type { RegisteredDatabase, Registry } from '../../registry/types.ts'
import type { Engine } from '../engine.ts'
import { servedGrants } from './served-grants.ts'

/** Drops a further user and its record. */
export const dropUser = async (registry: Registry, engine: Engine, user: string): Promise<void> => {
  const row = registry.databaseUser(engine.name, user)
  await engine.users.drop(user, servedGrants(registry, engine.name, row?.grants ?? []))
  registry.removeDatabaseUser(engine.name, user)
}

/** Takes a database that goes from its further users; who has no other goes with it. */
export const leaveDatabase = async (
  registry: Registry,
  engine: Engine,
  { username, database }: Pick<RegisteredDatabase, 'username' | 'database'>,
): Promise<void> => {
  for (const row of registry.databaseUsersOf(username)) {
    if (row.engine !== engine.name) continue
    const left = row.grants.filter((one) => one.database !== database)
    if (left.length === row.grants.length) continue
    if (left.length === 0) {
      await dropUser(registry, engine, row.user)
      continue
    }
    const served = (grants: typeof left) => servedGrants(registry, engine.name, grants)
    await engine.users.setGrants(row.user, served(left), served(row.grants))
    registry.putDatabaseUser({ ...row, grants: left })
  }
}
