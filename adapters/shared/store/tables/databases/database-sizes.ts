import { sql } from 'kysely'
import type { DatabaseSizesStore } from '#handlers/ports/store/databases/database-sizes-store.ts'
import type { StoreContext } from '../../context.ts'

/** Sizes of databases, one for each day. */
export const databaseSizesPart = ({ db, write, runBatch }: StoreContext): DatabaseSizesStore => ({
  databaseSizes: (databaseId) =>
    db
      .selectFrom('database_sizes')
      .select(['day', 'size_bytes'])
      .where('database_id', '=', databaseId)
      .orderBy('day')
      .execute(),
  async databasesWithoutSize(day) {
    return db
      .selectFrom('databases')
      .innerJoin('accounts', 'accounts.id', 'databases.account_id')
      .select(['databases.id', 'databases.engine', 'databases.database_name', 'accounts.username'])
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('database_sizes')
              .select('day')
              .whereRef('database_id', '=', 'databases.id')
              .where('day', '=', day),
          ),
        ),
      )
      .orderBy('databases.id')
      .execute()
  },
  async putDatabaseSizes(day, sizes, before) {
    // One that is dropped meanwhile has no row to belong to any more.
    await runBatch([
      ...sizes.map(({ database_id, size_bytes }) =>
        sql`insert into database_sizes (database_id, day, size_bytes)
          select id, ${day}, ${size_bytes} from databases where id = ${database_id}
          on conflict do nothing`.compile(write),
      ),
      write.deleteFrom('database_sizes').where('day', '<', before).compile(),
    ])
  },
})
