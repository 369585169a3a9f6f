import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { AccessStore } from '#handlers/ports/store/access-store.ts'
import type { AdminRow } from '#handlers/ports/store/records.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { endTokens, forgetUser } from './forget-user.ts'
import { listTail, matches } from '../../list.ts'
import { isFreeName } from '../../user-tables.ts'

type Part = Pick<AccessStore, 'listAdmins' | 'insertAdmin' | 'updateAdmin' | 'deleteAdmin'>

const SORTABLE = { id: 'id', username: 'username', status: 'status', created_at: 'created_at' }

const hasOther = (id: number) =>
  sql<SqlBool>`exists (select 1 from admins where id <> ${id} and status = 'active')`

/** Administrators after the first. */
export const adminsPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async listAdmins(query = {}) {
    let base = db.selectFrom('admins')
    if (query.q !== undefined) base = base.where(matches(['username'], query.q))
    const { column, direction, limit, offset } = listTail(query, 'id', SORTABLE)
    let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const [page, count] = await Promise.all([
      rows.execute(),
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { rows: page, total: Number(count.total) }
  },
  async insertAdmin({ username, password_hash, status, not_before_secs, created_at }) {
    const values = { username, password_hash, status, not_before_secs, created_at }
    const [inserted] = await runBatch([insertWhere(write, 'admins', values, isFreeName(username))])
    return (inserted?.rows[0] as unknown as AdminRow | undefined) ?? 'duplicate'
  },
  async updateAdmin(id, change, options = {}) {
    if (Object.keys(change).length === 0) return 'done'
    const free =
      change.username === undefined
        ? sql<SqlBool>`true`
        : sql<SqlBool>`${isFreeName(change.username, { role: 'admin', id })}`
    const stays = change.status === 'locked' ? hasOther(id) : sql<SqlBool>`true`
    const [why, updated] = await runBatch([
      sql`select ${free} as free`.compile(write),
      write
        .updateTable('admins')
        .set(change)
        .where('id', '=', id)
        .where(free)
        .where(stays)
        .compile(),
      // Both hold afterwards too where the change was made.
      ...(options.endTokens === true
        ? [endTokens(write, { role: 'admin', id }, sql<SqlBool>`${free} and ${stays}`)]
        : []),
    ])
    if (updated?.changes === 1) return 'done'
    return why?.rows[0]?.['free'] === 0 ? 'duplicate' : 'last'
  },
  async deleteAdmin(id) {
    const gone = sql<SqlBool>`not exists (select 1 from admins where id = ${id})`
    const [deleted] = await runBatch([
      write.deleteFrom('admins').where('id', '=', id).where(hasOther(id)).compile(),
      ...forgetUser(write, { role: 'admin', id }, gone),
    ])
    return deleted?.changes === 1 ? 'done' : 'last'
  },
})
