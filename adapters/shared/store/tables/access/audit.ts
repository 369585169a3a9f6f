import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { AccessStore, AuditQuery } from '#handlers/ports/store/access-store.ts'
import { LIKE } from '../../dialect-words.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { listTail, matches, totalOf } from '../../list.ts'

type Part = Pick<AccessStore, 'insertAudit' | 'listAudit' | 'pruneAudit'>

const SORTABLE = { id: 'id', at: 'at', actor: 'actor', action: 'action', status: 'status' }
const SEARCHED = ['actor', 'via', 'action', 'summary', 'target', 'address']

/** Entries of an account: its user's own, and those whose target names it. */
const concerns = ({ id, username }: NonNullable<AuditQuery['about']>): RawBuilder<SqlBool> => {
  const named = (field: string) => `% ${field} %`
  const target = sql`' ' || target || ' '`
  const parts = [
    sql<SqlBool>`(role = 'account' and actor = ${username})`,
    sql<SqlBool>`${target} ${LIKE} ${named(`account_id=${id}`)}`,
    sql<SqlBool>`(action ${LIKE} '% /api/accounts/:id%' and ${target} ${LIKE} ${named(`id=${id}`)})`,
    sql<SqlBool>`(action ${LIKE} '% /api/backups/accounts/:id%' and ${target} ${LIKE} ${named(`id=${id}`)})`,
    sql<SqlBool>`(action ${LIKE} '% /api/backups/snapshots/accounts/:id%' and ${target} ${LIKE} ${named(`id=${id}`)})`,
    sql<SqlBool>`(action = 'POST /api/accounts' and ${target} ${LIKE} ${named(`username=${username ?? ''}`)})`,
  ]
  return sql<SqlBool>`(${sql.join(parts, sql` or `)})`
}

/** The search over what is shown of an entry, as `forReseller` and `activityView` of the panel leave things out. */
const searched = (q: string, shownTo: AuditQuery['shownTo']): RawBuilder<SqlBool> => {
  if (shownTo === undefined) return matches(SEARCHED, q)
  if (shownTo === 'account') {
    return sql<SqlBool>`(${matches(['actor', 'summary'], q)}
      or (role = 'account' and via is null and ${matches(['target'], q)}))`
  }
  const byOthers = sql<SqlBool>`(via is distinct from ${shownTo.reseller} and (role is not distinct from 'admin'
    or (role is not distinct from 'account' and via is not null and via not ${LIKE} 'token %')))`
  return sql<SqlBool>`(${matches(['actor', 'via', 'action', 'summary'], q)}
    or (not ${byOthers} and ${matches(['target', 'address'], q)}))`
}

/** The audit log. */
export const auditPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async insertAudit(rows) {
    const results = await runBatch(
      rows.map((row) =>
        insertWhere(
          write,
          'audit',
          {
            at: row.at,
            actor: row.actor,
            role: row.role,
            via: row.via,
            action: row.action,
            summary: row.summary,
            target: row.target,
            address: row.address,
            status: row.status,
            reseller_id: row.reseller_id,
            result: row.result,
          },
          sql<SqlBool>`true`,
        ),
      ),
    )
    return Number(results.at(-1)?.rows[0]?.['id'] ?? 0)
  },
  async listAudit(query) {
    let base = db.selectFrom('audit')
    if (query.q !== undefined) base = base.where(searched(query.q, query.shownTo))
    if (query.actor !== undefined) base = base.where('actor', '=', query.actor)
    if (query.resellerId !== undefined) base = base.where('reseller_id', '=', query.resellerId)
    if (query.about !== undefined) base = base.where(concerns(query.about))
    if (query.result !== undefined) base = base.where('result', '=', query.result)
    if (query.from !== undefined) base = base.where('at', '>=', query.from)
    if (query.until !== undefined) base = base.where('at', '<', query.until)
    const { column, direction, limit, offset } = listTail(
      { order: 'desc', ...query },
      'id',
      SORTABLE,
    )
    let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id', direction)
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page, total }
  },
  async pruneAudit(before, { mostPerRole, leastPerActor }) {
    // Each role for itself: a tenant must not be able to push the administrators' entries out.
    await runBatch([
      write.deleteFrom('audit').where('at', '<', before).compile(),
      ...['admin', 'reseller', 'account', null].map((role) =>
        sql`delete from audit where role is not distinct from ${role} and id <= (
          select id from audit where role is not distinct from ${role} order by id desc limit 1 offset ${mostPerRole}
        ) and id not in (
          select id from (
            select id, row_number() over (partition by actor order by id desc) as place
            from audit where role is not distinct from ${role}
          ) as placed where place <= ${role === null ? 0 : leastPerActor}
        )`.compile(write),
      ),
    ])
  },
})
