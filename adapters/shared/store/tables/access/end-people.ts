import { sql } from 'kysely'
import type { CompiledQuery, RawBuilder, SqlBool } from 'kysely'
import type { StoreWriter } from '../../context.ts'
import { larger } from '../../dialect-words.ts'
import { GOING } from './forget-user.ts'
import { endSessionsWhere } from './sessions.ts'

/** Whether a row of sessions or tokens is a person's in an account. */
const inAccount = (accountId: number, personId: number | null): RawBuilder<SqlBool> =>
  sql<SqlBool>`(role = 'person' and account_id = ${accountId}
    ${personId === null ? sql`` : sql`and owner_id = ${personId}`})`

/** Statements that end sessions and tokens of one person in an account, and the links that the person gave out. */
export const endPerson = (
  write: StoreWriter,
  accountId: number,
  personId: number,
): CompiledQuery[] => [
  ...endSessionsWhere(write, inAccount(accountId, personId)),
  sql`delete from api_tokens where ${inAccount(accountId, personId)}`.compile(write),
  // Who was an owner must not come back by a link to another address.
  sql`delete from invitations where account_id = ${accountId}
    and invited_by = (select email from persons where id = ${personId})`.compile(write),
]

/** Statements that end sessions and tokens of all persons in an account, if `condition` holds; the account's own are as they are. */
export const endPeople = (
  write: StoreWriter,
  accountId: number,
  condition: RawBuilder<SqlBool>,
): CompiledQuery[] => [
  ...endSessionsWhere(write, sql<SqlBool>`(${inAccount(accountId, null)} and ${condition})`),
  sql`delete from api_tokens where ${inAccount(accountId, null)} and ${condition}`.compile(write),
  // A session that begins just now is behind this, whatever comes later.
  sql`update members set not_before_secs = ${larger(
    sql`members.not_before_secs + 1`,
    sql`(select accounts.not_before_secs from accounts where accounts.id = ${accountId})`,
  )}
    where account_id = ${accountId} and ${condition}`.compile(write),
]

/** Statements that remove the persons who belong to no account, with all that is theirs. */
export const forgetStrays = (write: StoreWriter): CompiledQuery[] => {
  const strays = sql`select id from persons
    where not exists (select 1 from members where person_id = persons.id)`
  return [
    ...endSessionsWhere(write, sql<SqlBool>`(role = 'person' and owner_id in (${strays}))`),
    ...(['api_tokens', ...GOING] as const).map((table) =>
      sql`delete from ${sql.table(table)} where role = 'person' and owner_id in (${strays})`.compile(
        write,
      ),
    ),
    sql`delete from persons where id in (${strays})`.compile(write),
  ]
}

/** Statements that end what an account that goes has of persons, and those who belonged to it alone. */
export const forgetPeople = (write: StoreWriter, accountId: number): CompiledQuery[] => [
  ...endSessionsWhere(write, inAccount(accountId, null)),
  sql`delete from api_tokens where ${inAccount(accountId, null)}`.compile(write),
  write.deleteFrom('invitations').where('account_id', '=', accountId).compile(),
  write.deleteFrom('members').where('account_id', '=', accountId).compile(),
  ...forgetStrays(write),
]
