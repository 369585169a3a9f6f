import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { RegisteredGrant, Registry } from '../../registry/types.ts'
import type { ServedGrant } from './further-users.ts'

/** Grants with the own users of their databases; those of databases that are gone are left out. */
export const servedGrants = (
  registry: Pick<Registry, 'database'>,
  engine: DatabaseEngine,
  grants: readonly RegisteredGrant[],
): ServedGrant[] =>
  grants.flatMap(({ database, rights }) => {
    const row = registry.database(engine, database)
    return row === null ? [] : [{ database, owner: row.user, rights }]
  })
