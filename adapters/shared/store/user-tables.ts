import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type { Role } from '#handlers/ports/store/records.ts'

const TABLES = { admin: 'admins', reseller: 'resellers', account: 'accounts' } as const

/** Where the users of a role are; each table has `id`, `username`, `status` and `not_before_secs`. */
export const userTable = (role: Role): RawBuilder<unknown> => sql.table(TABLES[role])

/** Name of whom a row with `role` and `owner_id` belongs to; empty when that is gone. */
export const OWNER_NAME: RawBuilder<string> = sql<string>`coalesce(case role
  when 'admin' then (select username from admins where id = owner_id)
  when 'reseller' then (select username from resellers where id = owner_id)
  when 'person' then (select email from persons where id = owner_id)
  else (select username from accounts where id = owner_id) end, '')`

/** Whether nobody else has a name, in whatever case; `except` is who may. */
export const isFreeName = (username: string, except?: UserRef): RawBuilder<SqlBool> => {
  const other = (role: Role) =>
    sql<SqlBool>`not exists (select 1 from ${userTable(role)} where lower(username) = lower(${username})
      and id <> ${except?.role === role ? except.id : 0})`
  return sql<SqlBool>`(${other('admin')} and ${other('reseller')} and not exists (
    select 1 from accounts where username = lower(${username}))
    and not exists (select 1 from persons where email = lower(${username})))`
}
