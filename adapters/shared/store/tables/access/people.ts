import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type {
  Member,
  Membership,
  MemberRow,
  PeopleStore,
  PersonRow,
} from '#handlers/ports/store/people-store.ts'
import type { StoreContext } from '../../context.ts'
import { larger, numbersOf } from '../../dialect-words.ts'
import { listTail, matches, pageOf } from '../../list.ts'
import { endPerson, forgetStrays } from './end-people.ts'
import { endTokens } from './forget-user.ts'
import { endSessionsWhere } from './sessions.ts'

type Part = Omit<
  PeopleStore,
  | 'insertInvitation'
  | 'listInvitations'
  | 'invitationByHash'
  | 'deleteInvitation'
  | 'acceptAsNew'
  | 'acceptAs'
>

const SORTABLE = {
  email: 'email',
  name: 'name',
  role: 'role',
  created_at: 'created_at',
  seen_at: 'seen_at',
}

const SECOND_FACTOR = sql<number>`exists (select 1 from second_factors
  where role = 'person' and owner_id = persons.id and confirmed = 1)`

/** The persons of an account, as its owner sees them. */
const membersIn = (accountId: number): RawBuilder<unknown> => sql`(
  select members.*, persons.email, persons.name, ${SECOND_FACTOR} as second_factor,
    (select count(*) from members as every where every.person_id = persons.id) as accounts,
    (select max(seen_at) from sessions where sessions.role = 'person'
      and sessions.owner_id = persons.id and sessions.account_id = members.account_id) as seen_at
  from members join persons on persons.id = members.person_id
  where members.account_id = ${accountId}
) as found`

type Found = Omit<Member, 'second_factor'> & { second_factor: number }

const toMember = (row: Found): Member => ({ ...row, second_factor: row.second_factor === 1 })

/** Persons who work in accounts. */
export const peoplePart = ({ db, write, runBatch }: StoreContext): Part => {
  const personById = async (id: number): Promise<PersonRow | null> =>
    (await db.selectFrom('persons').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
  return {
    personById,
    personByEmail: async (email) =>
      (await db.selectFrom('persons').selectAll().where('email', '=', email).executeTakeFirst()) ??
      null,
    async workingPerson(id, accountId) {
      const there = accountId === undefined ? sql`true` : sql`members.account_id = ${accountId}`
      const { rows } = await db.query(sql<PersonRow & Record<`m_${keyof MemberRow}`, unknown>>`
        select persons.*, members.account_id as m_account_id, members.role as m_role,
          members.not_before_secs as m_not_before_secs, members.created_at as m_created_at
        from persons join members on members.person_id = persons.id
        join accounts on accounts.id = members.account_id and accounts.status = 'active'
        where persons.id = ${id} and ${there}
        order by members.account_id is not distinct from persons.last_account_id desc, accounts.username
        limit 1`)
      const [row] = rows
      if (row === undefined) return null
      const { m_account_id, m_role, m_not_before_secs, m_created_at, ...person } = row
      const member: MemberRow = {
        person_id: id,
        account_id: Number(m_account_id),
        role: m_role as MemberRow['role'],
        not_before_secs: Number(m_not_before_secs),
        created_at: String(m_created_at),
      }
      return { person, member }
    },
    async setLastAccount(id, accountId) {
      await runBatch([
        write
          .updateTable('persons')
          .set({ last_account_id: accountId })
          .where('id', '=', id)
          .compile(),
      ])
    },
    membershipsOf: (id): Promise<Membership[]> =>
      db
        .selectFrom('members')
        .innerJoin('accounts', 'accounts.id', 'members.account_id')
        .where('members.person_id', '=', id)
        .select(['account_id', 'username', 'primary_domain', 'status', 'role'])
        .orderBy('username')
        .execute(),
    membershipsOfAll: (ids) =>
      db
        .selectFrom('members')
        .innerJoin('accounts', 'accounts.id', 'members.account_id')
        .where(sql<SqlBool>`members.person_id in ${numbersOf(ids)}`)
        .select(['person_id', 'account_id', 'username', 'primary_domain', 'status', 'role'])
        .orderBy('username')
        .execute(),
    async listMembers(accountId, query = {}) {
      const { column, direction, limit, offset = 0 } = listTail(query, 'email', SORTABLE)
      const where =
        query.q === undefined ? sql`` : sql`where ${matches(['email', 'name', 'role'], query.q)}`
      const members = membersIn(accountId)
      const [page, count] = await Promise.all([
        db.query(sql<Found>`select * from ${members} ${where}
          order by ${sql.ref(column)} ${sql.raw(direction)}, person_id
          ${pageOf(limit, offset)}`),
        db.query(sql<{ total: number }>`select count(*) as total from ${members} ${where}`),
      ])
      return { rows: page.rows.map(toMember), total: Number(count.rows[0]?.total ?? 0) }
    },
    async memberOf(accountId, personId) {
      const { rows } = await db.query(sql<Found>`select * from ${membersIn(accountId)}
        where person_id = ${personId}`)
      return rows[0] === undefined ? null : toMember(rows[0])
    },
    async updateMember(accountId, personId, { role, notBeforeSecs }) {
      const [updated] = await runBatch([
        sql`update members set role = ${role},
          not_before_secs = ${larger(sql`not_before_secs + 1`, sql`${notBeforeSecs}`)}
          where account_id = ${accountId} and person_id = ${personId}`.compile(write),
        ...endPerson(write, accountId, personId),
      ])
      return updated?.changes === 1
    },
    async removeMember(accountId, personId) {
      const [removed] = await runBatch([
        write
          .deleteFrom('members')
          .where('account_id', '=', accountId)
          .where('person_id', '=', personId)
          .compile(),
        ...endPerson(write, accountId, personId),
        ...forgetStrays(write),
      ])
      return removed?.changes === 1
    },
    async updatePerson(id, change, options = {}) {
      if (Object.keys(change).length === 0) return
      await runBatch([
        write.updateTable('persons').set(change).where('id', '=', id).compile(),
        ...(options.endTokens === true ? [endTokens(write, { role: 'person', id })] : []),
      ])
    },
    async deletePerson(id) {
      const results = await runBatch([
        ...endSessionsWhere(write, sql`(role = 'person' and owner_id = ${id})`),
        sql`delete from invitations
          where invited_by = (select email from persons where id = ${id})`.compile(write),
        write.deleteFrom('members').where('person_id', '=', id).compile(),
        ...forgetStrays(write),
      ])
      return results.at(-1)?.changes === 1
    },
    async listPersons(query = {}) {
      const { column, direction, limit, offset = 0 } = listTail(query, 'email', SORTABLE)
      const where =
        query.q === undefined ? sql`` : sql`where ${matches(['email', 'name'], query.q)}`
      const [page, count] = await Promise.all([
        db.query(sql<PersonRow & { second_factor: number }>`select persons.*,
          ${SECOND_FACTOR} as second_factor from persons ${where}
          order by ${sql.ref(column)} ${sql.raw(direction)}, id
          ${pageOf(limit, offset)}`),
        db.query(sql<{ total: number }>`select count(*) as total from persons ${where}`),
      ])
      const rows = page.rows.map((row) => ({ ...row, second_factor: row.second_factor === 1 }))
      return { rows, total: Number(count.rows[0]?.total ?? 0) }
    },
  }
}
