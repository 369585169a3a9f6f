import { SqliteAdapter, type Dialect, type DialectAdapter } from 'kysely'
import { D1Dialect } from 'kysely-d1'

/** Queries of several requests at once. */
class ManyConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * Kysely lets the queries of an SQLite through one by one, behind a promise that the request whose
 * turn it is resolves. What waits for it goes on as part of that request, whose input and output
 * are not its own: workerd refuses them (500). D1 has no connection that could be shared.
 */
export const createD1Dialect = (database: D1Database): Dialect => {
  const dialect = new D1Dialect({ database })
  return {
    createAdapter: (): DialectAdapter => new ManyConnections(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}
