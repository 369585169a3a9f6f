import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql } from 'kysely'
import type { StoreWriter } from './context.ts'
import type { Tables } from './schema.ts'

type Value = string | number | null | RawBuilder<unknown>

/**
 * `INSERT INTO table (columns) SELECT values WHERE condition RETURNING *`: an
 * insert that decides for itself, in one statement, whether it happens.
 */
export const insertWhere = (
  write: StoreWriter,
  table: keyof Tables,
  values: Readonly<Record<string, Value>>,
  condition: Expression<SqlBool>,
) => {
  const columns = sql.join(Object.keys(values).map((column) => sql.ref(column)))
  const cells = sql.join(Object.values(values).map((value) => sql`${value}`))
  return sql<Record<string, unknown>>`insert into ${sql.table(table)} (${columns})
    select ${cells} where ${condition} returning *`.compile(write)
}

/** Whether the operation with this id is in the journal, i.e. whether the batch's first insert happened. */
export const operationExists = (id: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from operations where id = ${id})`

/** Whether a table has fewer than `limit` rows; a negative limit is none. */
export const hasRoom = (table: 'accounts' | 'domains', limit: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${limit} < 0 or (select count(*) from ${sql.table(table)}) < ${limit})`

/** Whether an account has fewer than `limit` rows in a table; null is no limit. */
export const hasOwnRoom = (
  table:
    | 'domains'
    | 'databases'
    | 'database_users'
    | 'database_addresses'
    | 'cron_jobs'
    | 'ssh_keys'
    | 'sftp_users'
    | 'applications',
  accountId: number,
  limit: number | null,
): RawBuilder<SqlBool> =>
  limit === null
    ? sql<SqlBool>`true`
    : sql<SqlBool>`((select count(*) from ${sql.table(table)} where account_id = ${accountId}) < ${limit})`
