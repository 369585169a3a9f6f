import type { Registry } from '../../registry/types.ts'
import type { Engine } from '../engine.ts'
import { servedGrants } from './served-grants.ts'

/** The engine, with further users whose rights outlast that a dump is put in a database's place. */
export const keepRights = (
  engine: Engine,
  registry: Pick<Registry, 'database' | 'databaseUsersOf'>,
): Engine => ({
  ...engine,
  restore(target, dump) {
    const row = registry.database(engine.name, target.database)
    const users = row === null ? [] : registry.databaseUsersOf(row.username)
    const further = users
      .filter((user) => user.engine === engine.name)
      .map(({ user, grants }) => ({ user, grants: servedGrants(registry, engine.name, grants) }))
    return engine.restore({ ...target, further }, dump)
  },
})
