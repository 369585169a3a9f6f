import { sql } from 'kysely'
import type { CompiledQuery, RawBuilder, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type { Role } from '#handlers/ports/store/records.ts'
import type { NamedSession, SessionStore } from '#handlers/ports/store/session-store.ts'
import type { StoreContext, StoreWriter } from '../../context.ts'
import { listTail, matches, pageOf } from '../../list.ts'
import { OWNER_NAME, userTable } from '../../user-tables.ts'

/** An expired token is refused anyway; a day is kept for clocks that are set back. */
const aDayAgoSecs = (): number => Math.floor(Date.now() / 1000) - 86_400

const SORTABLE = { id: 'id', began_at: 'began_at', seen_at: 'seen_at', owner: 'owner' }

/** Whether a user may still be who the session says: active, and nothing ended it since. */
const standing = (role: Role, id: 'owner_id' | 'via_admin_id') =>
  sql<SqlBool>`exists (select 1 from ${userTable(role)} as holder where holder.id = ${sql.ref(id)}
    and holder.status = 'active' and holder.not_before_secs <= issued_secs)`

/** The same of a person, in the account that its session is for. */
const STANDING_PERSON = sql<SqlBool>`exists (select 1 from persons
  join members on members.person_id = persons.id
  join accounts on accounts.id = members.account_id and accounts.status = 'active'
  where persons.id = sessions.owner_id and members.account_id = sessions.account_id
    and persons.not_before_secs <= sessions.issued_secs
    and members.not_before_secs <= sessions.issued_secs)`

/** The rows of sessions that stand at a second, with names. */
const live = (nowSecs: number): RawBuilder<NamedSession> => sql<NamedSession>`(
  select sessions.*,
    ${OWNER_NAME} as owner,
    case when via_role = 'reseller' then (select username from resellers where id = via_admin_id)
      else (select username from admins where id = via_admin_id) end as acting_admin
  from sessions
  where expires_at_secs > ${nowSecs}
    and case role when 'admin' then ${standing('admin', 'owner_id')}
      when 'reseller' then ${standing('reseller', 'owner_id')}
      when 'person' then ${STANDING_PERSON}
      else ${standing('account', 'owner_id')} end
    and (via_admin_id is null or case when via_role = 'reseller'
      then ${standing('reseller', 'via_admin_id')} and exists (select 1 from accounts
        where accounts.id = owner_id and accounts.reseller_id = via_admin_id)
      else ${standing('admin', 'via_admin_id')} end)
) as live`

/** Statements that end the sessions for which a condition holds, and the visits that began from them. */
export const endSessionsWhere = (
  write: StoreWriter,
  condition: RawBuilder<SqlBool>,
): CompiledQuery[] => {
  const ended = sql`from sessions where ${condition}
    or via_jti in (select jti from sessions where ${condition})`
  return [
    sql`insert into revoked_tokens (jti, expires_at_secs) select jti, expires_at_secs ${ended}
      on conflict do nothing`.compile(write),
    sql`delete ${ended}`.compile(write),
  ]
}

const ownedBy = ({ role, id }: UserRef): RawBuilder<SqlBool> =>
  sql<SqlBool>`(role = ${role} and owner_id = ${id})`

/** From where and with what an administrator visits is not the account's to guess by searching. */
const found = (owner: UserRef | null, q: string): RawBuilder<SqlBool> => {
  const origin = matches(['address', 'user_agent'], q)
  const told =
    owner !== null && owner.role !== 'admin'
      ? sql<SqlBool>`(via_admin_id is null and ${origin})`
      : origin
  return sql<SqlBool>`(${matches(['owner'], q)} or ${told})`
}

/** Sessions that stand, and those that were ended before their time. */
export const sessionsPart = ({ db, write, runBatch }: StoreContext): SessionStore => ({
  async insertSession(row, most) {
    const own = sql<SqlBool>`(${ownedBy({ role: row.role, id: row.owner_id })}
      and via_jti is ${sql.raw(row.via_jti === null ? 'null' : 'not null')})`
    const newest = sql`select id from sessions where ${own} order by id desc limit ${most}`
    await runBatch([
      write
        .insertInto('sessions')
        .values(row)
        .onConflict((conflict) => conflict.column('jti').doNothing())
        .compile(),
      ...endSessionsWhere(write, sql<SqlBool>`(${own} and id not in (${newest}))`),
      write.deleteFrom('sessions').where('expires_at_secs', '<', aDayAgoSecs()).compile(),
    ])
  },
  async sessionById(id, nowSecs) {
    const { rows } = await db.query(
      sql<NamedSession>`select * from ${live(nowSecs)} where id = ${id}`,
    )
    return rows[0] ?? null
  },
  async listSessions(owner, nowSecs, query = {}) {
    const { column, direction, limit, offset = 0 } = listTail(query, 'id', SORTABLE)
    const where = sql`where ${owner === null ? sql`true` : ownedBy(owner)} and
      ${query.q === undefined ? sql`true` : found(owner, query.q)}`
    const [page, count] = await Promise.all([
      db.query(sql<NamedSession>`select * from ${live(nowSecs)} ${where}
        order by ${sql.ref(column)} ${sql.raw(direction)}, id
        ${pageOf(limit, offset)}`),
      db.query(sql<{ total: number }>`select count(*) as total from ${live(nowSecs)} ${where}`),
    ])
    return { rows: page.rows, total: Number(count.rows[0]?.total ?? 0) }
  },
  async sessionState(jti) {
    const { rows } = await db.query(sql<{ revoked: number; seen_at: string | null }>`select
      exists (select 1 from revoked_tokens where jti = ${jti}) as revoked,
      (select seen_at from sessions where jti = ${jti}) as seen_at`)
    return { revoked: rows[0]?.revoked === 1, seenAt: rows[0]?.seen_at ?? null }
  },
  async touchSession(jti, at) {
    await runBatch([
      write
        .updateTable('sessions')
        .set({ seen_at: at })
        .where(
          sql<SqlBool>`jti = ${jti} or jti = (select via_jti from sessions where jti = ${jti})`,
        )
        .compile(),
    ])
  },
  async revokeToken(jti, expiresAtSecs) {
    await runBatch([
      write
        .insertInto('revoked_tokens')
        .values({ jti, expires_at_secs: expiresAtSecs })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
      ...endSessionsWhere(write, sql<SqlBool>`(jti = ${jti})`),
      write.deleteFrom('revoked_tokens').where('expires_at_secs', '<', aDayAgoSecs()).compile(),
    ])
  },
  async spendOnce(jti, expiresAtSecs) {
    const [spent] = await runBatch([
      write
        .insertInto('revoked_tokens')
        .values({ jti, expires_at_secs: expiresAtSecs })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ])
    return spent?.changes === 1
  },
  async revokeOtherSessions(owner, keptJti) {
    const [, ended] = await runBatch(
      endSessionsWhere(write, sql<SqlBool>`(${ownedBy(owner)} and jti <> ${keptJti})`),
    )
    return ended?.changes ?? 0
  },
})
