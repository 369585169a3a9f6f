import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { InvitationRow, PeopleStore } from '#handlers/ports/store/people-store.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'

type Part = Pick<
  PeopleStore,
  | 'insertInvitation'
  | 'listInvitations'
  | 'invitationByHash'
  | 'deleteInvitation'
  | 'acceptAsNew'
  | 'acceptAs'
>

/** Invitations of an account that stand. */
const standing = (hash: string, now: string) =>
  sql`from invitations join accounts on accounts.id = invitations.account_id
    and accounts.status = 'active'
    where token_hash = ${hash} and expires_at > ${now}`

/** Invitations, and joining an account by them. */
export const invitationsPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async insertInvitation(row, limit, now) {
    const { account_id, email } = row
    const member = sql<SqlBool>`exists (select 1 from members
      join persons on persons.id = members.person_id
      where members.account_id = ${account_id} and persons.email = ${email})`
    const taken = sql`(select count(*) from members where account_id = ${account_id})
      + (select count(*) from invitations where account_id = ${account_id} and email <> ${email})`
    const room = limit === null ? sql<SqlBool>`true` : sql<SqlBool>`${taken} < ${limit}`
    const free = sql<SqlBool>`(not ${member} and ${room})`
    const values = {
      account_id,
      email,
      role: row.role,
      token_hash: row.token_hash,
      invited_by: row.invited_by,
      created_at: row.created_at,
      expires_at: row.expires_at,
    }
    const [, why, , inserted] = await runBatch([
      write.deleteFrom('invitations').where('expires_at', '<=', now).compile(),
      sql`select ${member} as member`.compile(write),
      sql`delete from invitations where account_id = ${account_id} and email = ${email}
        and ${free}`.compile(write),
      insertWhere(write, 'invitations', values, free),
    ])
    const made = inserted?.rows[0]
    if (made !== undefined) return made as unknown as InvitationRow
    return why?.rows[0]?.['member'] === 1 ? 'member' : 'limit'
  },
  listInvitations: (accountId, now) =>
    db
      .selectFrom('invitations')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('expires_at', '>', now)
      .orderBy('id', 'desc')
      .execute(),
  async invitationByHash(hash, now) {
    const { rows } = await db.query(sql<
      InvitationRow & { username: string; primary_domain: string }
    >`select invitations.*, accounts.username, accounts.primary_domain
      ${standing(hash, now)}`)
    return rows[0] ?? null
  },
  async deleteInvitation(accountId, id) {
    const [deleted] = await runBatch([
      write
        .deleteFrom('invitations')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .compile(),
    ])
    return deleted?.changes === 1
  },
  async acceptAsNew(hash, { name, password_hash, created_at }, notBeforeSecs) {
    const open = standing(hash, created_at)
    // Administrators and resellers may be called by an address too.
    const taken = sql<SqlBool>`(exists (select 1 from persons where email =
        (select email from invitations where token_hash = ${hash}))
      or exists (select 1 from admins where lower(username) =
        (select email from invitations where token_hash = ${hash}))
      or exists (select 1 from resellers where lower(username) =
        (select email from invitations where token_hash = ${hash})))`
    const [why, made, joined] = await runBatch([
      sql`select exists (select 1 ${open}) as open, ${taken} as taken`.compile(write),
      sql`insert into persons (email, name, password_hash, not_before_secs, last_account_id, created_at)
        select invitations.email, ${name}, ${password_hash}, 0, invitations.account_id, ${created_at}
        ${open} and not ${taken} returning id`.compile(write),
      // The person is new with this invitation: nobody had the address a statement ago.
      sql`insert into members (person_id, account_id, role, not_before_secs, created_at)
        select persons.id, invitations.account_id, invitations.role, ${notBeforeSecs}, ${created_at}
        from invitations join persons on persons.email = invitations.email
        where token_hash = ${hash} and expires_at > ${created_at}
          and not exists (select 1 from members where person_id = persons.id)
        returning account_id`.compile(write),
      sql`delete from invitations where token_hash = ${hash} and exists (select 1 from members
        join persons on persons.id = members.person_id
        where persons.email = invitations.email
          and members.account_id = invitations.account_id)`.compile(write),
    ])
    const person = made?.rows[0]?.['id']
    const account = joined?.rows[0]?.['account_id']
    if (person !== undefined && account !== undefined) {
      return { personId: Number(person), accountId: Number(account) }
    }
    return why?.rows[0]?.['open'] === 1 && why.rows[0]['taken'] === 1 ? 'taken' : 'gone'
  },
  async acceptAs(hash, { id }, now, notBeforeSecs) {
    const open = standing(hash, now)
    const [why, joined] = await runBatch([
      sql`select exists (select 1 ${open}) as open`.compile(write),
      sql`insert into members (person_id, account_id, role, not_before_secs, created_at)
        select persons.id, invitations.account_id, invitations.role, ${notBeforeSecs}, ${now}
        from persons, invitations join accounts on accounts.id = invitations.account_id
          and accounts.status = 'active'
        where persons.id = ${id} and token_hash = ${hash} and expires_at > ${now}
          and not exists (select 1 from members where person_id = persons.id
            and members.account_id = invitations.account_id)
        returning account_id`.compile(write),
      // Spent only by whoever joined just now.
      sql`delete from invitations where token_hash = ${hash} and exists (select 1 from members
        where person_id = ${id} and members.account_id = invitations.account_id
          and members.created_at = ${now} and members.not_before_secs = ${notBeforeSecs})`.compile(
        write,
      ),
    ])
    const account = joined?.rows[0]?.['account_id']
    if (account !== undefined) return { accountId: Number(account) }
    return why?.rows[0]?.['open'] === 1 ? 'member' : 'gone'
  },
})
