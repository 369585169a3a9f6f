import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type {
  DatabaseGrantRow,
  DatabaseUsersStore,
} from '#handlers/ports/store/databases/database-users-store.ts'
import { hasOwnRoom, insertWhere, operationExists } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { fromOperation } from '../../rows.ts'

/** Further users of databases, and what each may do in which. */
export const databaseUsersPart = ({ db, write, runBatch }: StoreContext): DatabaseUsersStore => {
  /** Rights of the user that the expression finds; a database that is gone meanwhile is left out. */
  const grantInserts = (
    user: ReturnType<typeof sql<number>>,
    grants: readonly DatabaseGrantRow[],
  ) =>
    grants.map(({ database_id, rights }) =>
      sql`insert into database_grants (user_id, database_id, rights)
        select u.id, d.id, ${rights} from database_users u, databases d
        where u.id = ${user} and d.id = ${database_id}
          and d.account_id = u.account_id and d.engine = u.engine`.compile(write),
    )
  return {
    async listDatabaseUsers(accountId) {
      const users = await db
        .selectFrom('database_users')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute()
      const grants = await db
        .selectFrom('database_grants')
        .innerJoin('database_users', 'database_users.id', 'database_grants.user_id')
        .select(['user_id', 'database_id', 'rights'])
        .where('account_id', '=', accountId)
        .orderBy('database_id')
        .execute()
      return users.map((user) => ({
        ...user,
        grants: grants
          .filter(({ user_id }) => user_id === user.id)
          .map(({ database_id, rights }) => ({ database_id, rights })),
      }))
    },
    async insertDatabaseUser({ grants, ...row }, operation, limit) {
      const { engine, name } = row
      const taken = sql<SqlBool>`(exists (select 1 from database_users where engine = ${engine} and name = ${name})
        or exists (select 1 from databases where engine = ${engine} and database_user = ${name}))`
      const room = hasOwnRoom('database_users', row.account_id, limit)
      const values = {
        account_id: row.account_id,
        engine,
        name,
        created_at: row.created_at,
      }
      const made = sql<number>`(select id from database_users where engine = ${engine} and name = ${name}
        and ${operationExists(operation.id)})`
      const [why, , inserted] = await runBatch([
        sql`select ${taken} as taken`.compile(write),
        insertWhere(write, 'operations', fromOperation(operation), sql`not ${taken} and ${room}`),
        insertWhere(write, 'database_users', values, operationExists(operation.id)),
        ...grantInserts(made, grants),
      ])
      if (inserted?.rows[0] !== undefined) return 'made'
      return why?.rows[0]?.['taken'] === 1 ? 'duplicate' : 'limit'
    },
    async setDatabaseGrants(id, grants) {
      await runBatch([
        write.deleteFrom('database_grants').where('user_id', '=', id).compile(),
        ...grantInserts(sql<number>`${id}`, grants),
      ])
    },
    async renameDatabaseUser(id, name) {
      await runBatch([
        write.updateTable('database_users').set({ name }).where('id', '=', id).compile(),
      ])
    },
    async deleteDatabaseUser(id) {
      await runBatch([write.deleteFrom('database_users').where('id', '=', id).compile()])
    },
    async renameDatabaseOwner(databaseId, user) {
      await runBatch([
        write
          .updateTable('databases')
          .set({ database_user: user })
          .where('id', '=', databaseId)
          .compile(),
      ])
    },
  }
}
