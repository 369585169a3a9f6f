import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { DatabaseRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { hasOwnRoom, insertWhere, operationExists } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { equals, filtered, listTail, matches, ownedBy, totalOf } from '../../list.ts'
import { hasResellerRoom, resellerOf } from '../../reseller-room.ts'
import { fromOperation } from '../../rows.ts'

type Part = Pick<Store, 'listDatabases' | 'listAllDatabases' | 'insertDatabase' | 'deleteDatabase'>

const SORTABLE: Readonly<Record<string, string>> = {
  database: 'database_name',
  user: 'database_user',
  engine: 'engine',
  username: 'username',
  size_bytes: 'size_bytes',
  created_at: 'created_at',
}
const SEARCHED = ['database_name', 'database_user', 'username']
const FILTERS = { engine: equals('engine') }
const LAST_SIZE = sql<number | null>`(select size_bytes from database_sizes
  where database_id = databases.id order by day desc limit 1)`

/** Databases of accounts. */
export const databasesPart = ({ db, write, runBatch }: StoreContext): Part => ({
  listDatabases: (accountId) =>
    db
      .selectFrom('databases')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
  async listAllDatabases(query = {}) {
    const all = db
      .selectFrom('databases')
      .innerJoin('accounts', 'accounts.id', 'databases.account_id')
      .selectAll('databases')
      .select(['accounts.username', LAST_SIZE.as('size_bytes')])
    let base = db.selectFrom(all.as('databases'))
    const owned = ownedBy(query, 'account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const wanted = filtered(query, FILTERS)
    if (wanted !== null) base = base.where(wanted)
    const { column, direction, limit, offset } = listTail(query, 'id', SORTABLE)
    let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page, total }
  },
  async insertDatabase(row, operation, limit) {
    const taken = sql<SqlBool>`(exists (select 1 from databases where engine = ${row.engine}
      and (database_name = ${row.database_name} or database_user = ${row.database_user}))
      or exists (select 1 from database_users where engine = ${row.engine} and name = ${row.database_user}))`
    const values = {
      account_id: row.account_id,
      engine: row.engine,
      database_name: row.database_name,
      database_user: row.database_user,
      host: row.host,
      created_at: row.created_at,
    }
    const room = hasOwnRoom('databases', row.account_id, limit)
    const his =
      limit === null
        ? sql<SqlBool>`true`
        : hasResellerRoom('databases', resellerOf(row.account_id), 1)
    const [why, , inserted] = await runBatch([
      sql`select ${taken} as taken, ${room} as room`.compile(write),
      insertWhere(
        write,
        'operations',
        fromOperation(operation),
        sql`not ${taken} and ${room} and ${his}`,
      ),
      insertWhere(write, 'databases', values, operationExists(operation.id)),
    ])
    const made = inserted?.rows[0]
    if (made !== undefined) return made as unknown as DatabaseRow
    const reasons = why?.rows[0] ?? {}
    if (reasons['taken'] === 1) return 'duplicate'
    return reasons['room'] === 0 ? 'limit' : 'reseller-limit'
  },
  async deleteDatabase(id) {
    // With its last database a further user goes.
    const only = sql<SqlBool>`id in (select user_id from database_grants where database_id = ${id})
      and id not in (select user_id from database_grants where database_id <> ${id})`
    await runBatch([
      write.deleteFrom('database_users').where(only).compile(),
      write.deleteFrom('databases').where('id', '=', id).compile(),
    ])
  },
})
