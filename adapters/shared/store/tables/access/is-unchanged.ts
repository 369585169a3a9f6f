import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { UserKind } from '#handlers/ports/store/records.ts'
import { larger } from '../../dialect-words.ts'
import { userTable } from '../../user-tables.ts'

/** A user; of a person also the account, or null for the person wherever it works. */
interface Asked {
  role: UserKind
  id: number
  accountId: number | null
}

/** Whether a user may log in and nothing has ended its sessions since `notBeforeSecs` was read. */
export const isUnchanged = (
  { role, id, accountId }: Asked,
  notBeforeSecs: number,
): RawBuilder<SqlBool> => {
  if (role !== 'person') {
    const table = userTable(role)
    return sql<SqlBool>`exists (select 1 from ${table} where id = ${id}
      and status = 'active' and not_before_secs = ${notBeforeSecs})`
  }
  if (accountId === null) {
    return sql<SqlBool>`exists (select 1 from persons where id = ${id}
      and not_before_secs = ${notBeforeSecs})`
  }
  return sql<SqlBool>`exists (select 1 from persons
    join members on members.person_id = persons.id and members.account_id = ${accountId}
    join accounts on accounts.id = members.account_id and accounts.status = 'active'
    where persons.id = ${id}
      and ${larger(sql`persons.not_before_secs`, sql`members.not_before_secs`)} = ${notBeforeSecs})`
}
