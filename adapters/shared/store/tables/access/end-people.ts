import { sql } from 'kysely'
import type { CompiledQuery, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Tables } from '../../schema.ts'
import { GOING } from './forget-user.ts'
import { endSessionsWhere } from './sessions.ts'

/** Whether a row of sessions or tokens is a person's in an account. */
const inAccount = (accountId: number, personId: number | null): RawBuilder<SqlBool> =>
  sql<SqlBool>`(role = 'person' and account_id = ${accountId}
    ${personId === null ? sql`` : sql`and owner_id = ${personId}`})`

/** Statements that end sessions and tokens of one person in an account, and the links that the person gave out. */
export const endPerson = (
  db: Kysely<Tables>,
  accountId: number,
  personId: number,
): CompiledQuery[] => [
  ...endSessionsWhere(db, inAccount(accountId, personId)),
  sql`delete from api_tokens where ${inAccount(accountId, personId)}`.compile(db),
  // Who was an owner must not come back by a link to another address.
  sql`delete from invitations where account_id = ${accountId}
    and invited_by = (select email from persons where id = ${personId})`.compile(db),
]

/** Statements that end sessions and tokens of all persons in an account, if `condition` holds; the account's own are as they are. */
export const endPeople = (
  db: Kysely<Tables>,
  accountId: number,
  condition: RawBuilder<SqlBool>,
): CompiledQuery[] => [
  ...endSessionsWhere(db, sql<SqlBool>`(${inAccount(accountId, null)} and ${condition})`),
  sql`delete from api_tokens where ${inAccount(accountId, null)} and ${condition}`.compile(db),
  // A session that begins just now is behind this, whatever comes later.
  sql`update members set not_before_secs = max(not_before_secs + 1,
      (select not_before_secs from accounts where accounts.id = ${accountId}))
    where account_id = ${accountId} and ${condition}`.compile(db),
]

/** Statements that remove the persons who belong to no account, with all that is theirs. */
export const forgetStrays = (db: Kysely<Tables>): CompiledQuery[] => {
  const strays = sql`select id from persons
    where not exists (select 1 from members where person_id = persons.id)`
  return [
    ...endSessionsWhere(db, sql<SqlBool>`(role = 'person' and owner_id in (${strays}))`),
    ...(['api_tokens', ...GOING] as const).map((table) =>
      sql`delete from ${sql.table(table)} where role = 'person' and owner_id in (${strays})`.compile(
        db,
      ),
    ),
    sql`delete from persons where id in (${strays})`.compile(db),
  ]
}

/** Statements that end what an account that goes has of persons, and those who belonged to it alone. */
export const forgetPeople = (db: Kysely<Tables>, accountId: number): CompiledQuery[] => [
  ...endSessionsWhere(db, inAccount(accountId, null)),
  sql`delete from api_tokens where ${inAccount(accountId, null)}`.compile(db),
  db.deleteFrom('invitations').where('account_id', '=', accountId).compile(),
  db.deleteFrom('members').where('account_id', '=', accountId).compile(),
  ...forgetStrays(db),
]
