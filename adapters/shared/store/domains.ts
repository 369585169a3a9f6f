import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { Store } from '#handlers/ports/store.ts'
import { hasRoom, insertWhere, operationExists } from './conditional-insert.ts'
import type { StoreContext } from './context.ts'
import { listTail, matches } from './list.ts'
import { relatedNames } from './related-names.ts'
import { fromDomain, fromOperation, reversedName, toDomain } from './rows.ts'

type Part = Pick<
  Store,
  | 'listDomains'
  | 'domainById'
  | 'domainByName'
  | 'domainsRelatedTo'
  | 'countDomains'
  | 'insertDomain'
  | 'updateDomain'
  | 'deleteDomain'
>

const SORTABLE: Readonly<Record<string, string>> = {
  id: 'domains.id',
  domain_name: 'domains.domain_name',
  domain_type: 'domains.domain_type',
  document_root: 'domains.document_root',
  ssl_status: 'domains.ssl_status',
  created_at: 'domains.created_at',
  username: 'accounts.username',
}
const SEARCHED = ['domains.domain_name', 'domains.document_root', 'accounts.username']

/** Domains. */
export const domainsPart = ({ db, runBatch }: StoreContext): Part => {
  const joined = () => db.selectFrom('domains').innerJoin('accounts', 'accounts.id', 'account_id')
  const withUsername = () => joined().selectAll('domains').select('accounts.username')
  type Joined = Awaited<ReturnType<ReturnType<typeof withUsername>['executeTakeFirstOrThrow']>>
  const view = (row: Joined) => Object.assign(toDomain(row), { username: row.username })

  return {
    async listDomains(query = {}) {
      let base = joined()
      if (query.accountId !== undefined) base = base.where('account_id', '=', query.accountId)
      if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
      const { column, direction, limit, offset } = listTail(query, 'domains.id', SORTABLE)
      let rows = base
        .selectAll('domains')
        .select('accounts.username')
        .orderBy(sql.ref(column), direction)
        .orderBy('domains.id')
      if (limit === undefined) {
        const all = await rows.execute()
        return { rows: all.map(view), total: all.length }
      }
      rows = rows.limit(limit).offset(offset ?? 0)
      const [page, count] = await Promise.all([
        rows.execute(),
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      ])
      return { rows: page.map(view), total: Number(count.total) }
    },
    async domainById(id) {
      const row = await withUsername().where('domains.id', '=', id).executeTakeFirst()
      return row === undefined ? null : view(row)
    },
    async domainByName(name) {
      const row = await withUsername().where('domain_name', '=', name).executeTakeFirst()
      return row === undefined ? null : view(row)
    },
    async domainsRelatedTo(name) {
      const rows = await db
        .selectFrom('domains')
        .selectAll()
        .where(relatedNames(name))
        .orderBy('id')
        .execute()
      return rows.map(toDomain)
    },
    async countDomains() {
      const row = await db
        .selectFrom('domains')
        .select((e) => e.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return Number(row.total)
    },
    async insertDomain({ account_id, ...row }, operation, limit) {
      // Own names above and below are fine; the same name, or anybody else's, is not.
      const taken = sql<SqlBool>`exists (select 1 from domains where ${relatedNames(row.domain_name)}
        and (domain_name = ${row.domain_name} or account_id <> ${account_id}))`
      const room = hasRoom('domains', limit)
      const [why, , inserted] = await runBatch([
        sql`select ${taken} as taken`.compile(db),
        insertWhere(db, 'operations', fromOperation(operation), sql`not ${taken} and ${room}`),
        insertWhere(
          db,
          'domains',
          { account_id, ...fromDomain(row) },
          operationExists(operation.id),
        ),
      ])
      const made = inserted?.rows[0]
      if (made !== undefined) return toDomain(made as Parameters<typeof toDomain>[0])
      return why?.rows[0]?.['taken'] === 1 ? 'duplicate' : 'limit'
    },
    async updateDomain(id, { cache_enabled, cache_exclude, redirect_https, hsts, ...rest }) {
      const set = {
        ...rest,
        ...(rest.domain_name === undefined
          ? {}
          : { reversed_name: reversedName(rest.domain_name) }),
        ...(cache_enabled === undefined ? {} : { cache_enabled: cache_enabled ? 1 : 0 }),
        ...(redirect_https === undefined ? {} : { redirect_https: redirect_https ? 1 : 0 }),
        ...(hsts === undefined ? {} : { hsts: hsts ? 1 : 0 }),
        ...(cache_exclude === undefined ? {} : { cache_exclude: JSON.stringify(cache_exclude) }),
      }
      if (Object.keys(set).length === 0) return
      await db.updateTable('domains').set(set).where('id', '=', id).execute()
    },
    async deleteDomain(id) {
      const name = db.selectFrom('domains').select('domain_name').where('id', '=', id)
      await runBatch([
        db.deleteFrom('certificates').where('domain', '=', name).compile(),
        db.deleteFrom('domains').where('id', '=', id).compile(),
      ])
    },
  }
}
