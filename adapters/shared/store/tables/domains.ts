import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import { hasOwnRoom, hasRoom, insertWhere, operationExists } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../list.ts'
import { hasResellerRoom, resellerOf } from '../reseller-room.ts'
import { relatedNames } from '../related-names.ts'
import { fromCacheRules, fromDomain, fromOperation, reversedName, toDomain } from '../rows.ts'

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
const FILTERS = {
  domain_type: equals('domains.domain_type'),
  ssl_status: equals('domains.ssl_status'),
  cache_enabled: (value: string) =>
    sql<SqlBool>`domains.cache_enabled = ${value === 'true' ? 1 : 0}`,
}

/** Owners are looked through once, and not again for each of their domains. */
const found = (q: string) =>
  sql<SqlBool>`(${matches(['domains.domain_name', 'domains.document_root'], q)}
    or domains.account_id in (select id from accounts where ${matches(['username'], q)}))`

/** Domains. */
export const domainsPart = ({ db, write, runBatch }: StoreContext): Part => {
  const joined = () => db.selectFrom('domains').innerJoin('accounts', 'accounts.id', 'account_id')
  const withUsername = () => joined().selectAll('domains').select('accounts.username')
  type Joined = Awaited<ReturnType<ReturnType<typeof withUsername>['executeTakeFirstOrThrow']>>
  const view = (row: Joined) => Object.assign(toDomain(row), { username: row.username })

  return {
    async listDomains(query = {}) {
      const { column, direction, limit, offset } = listTail(query, 'domains.id', SORTABLE)
      const whole = db.selectFrom('domains')
      let base = whole
      const owned = ownedBy(query, 'account_id')
      if (owned !== null) base = base.where(owned)
      if (query.q !== undefined) base = base.where(found(query.q))
      const wanted = filtered(query, FILTERS)
      if (wanted !== null) base = base.where(wanted)
      // First which rows, from indexes alone where that is possible: whole rows are ten times as long.
      const joined = query.sort === 'username'
      let ids = base
        .$if(joined, (one) => one.innerJoin('accounts', 'accounts.id', 'account_id'))
        .select('domains.id')
      ids = ids.orderBy(sql.ref(column), direction).orderBy('domains.id', direction)
      if (limit !== undefined) ids = ids.limit(limit).offset(offset ?? 0)
      const page = await withUsername()
        .$if(limit !== undefined || base !== whole, (one) => one.where('domains.id', 'in', ids))
        .orderBy(sql.ref(column), direction)
        .orderBy('domains.id', direction)
        .execute()
      const total = await totalOf(page.length, { limit, offset }, () =>
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      )
      return { rows: page.map(view), total }
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
    async insertDomain({ account_id, ...row }, operation, limits) {
      // Own names above and below are fine; the same name, or anybody else's, is not.
      const taken = sql<SqlBool>`exists (select 1 from domains where ${relatedNames(row.domain_name)}
        and (domain_name = ${row.domain_name} or account_id <> ${account_id}))`
      const room = hasRoom('domains', limits.total)
      const ownRoom = hasOwnRoom('domains', account_id, limits.ofAccount)
      const his =
        limits.ofAccount === null
          ? sql<SqlBool>`true`
          : hasResellerRoom('domains', resellerOf(account_id), 1)
      const free = sql<SqlBool>`not ${taken} and ${room} and ${ownRoom} and ${his}`
      const [why, , inserted] = await runBatch([
        sql`select ${taken} as taken, ${ownRoom} as own_room, ${his} as his`.compile(write),
        insertWhere(write, 'operations', fromOperation(operation), free),
        insertWhere(
          write,
          'domains',
          { account_id, ...fromDomain(row) },
          operationExists(operation.id),
        ),
      ])
      const made = inserted?.rows[0]
      if (made !== undefined) return toDomain(made as Parameters<typeof toDomain>[0])
      const reasons = why?.rows[0] ?? {}
      if (reasons['taken'] === 1) return 'duplicate'
      if (reasons['own_room'] === 0) return 'account-limit'
      return reasons['his'] === 0 ? 'reseller-limit' : 'limit'
    },
    async updateDomain(id, change) {
      const { cache_enabled, cache_exclude, redirect_https, hsts, default_host, ...more } = change
      const { cache_bypass_cookies, cache_ignore_params, cache_mobile_variant, ...others } = more
      const { cache_harmless_cookies, cache_session_cookies, application_paths, ...rest } = others
      const set = {
        ...rest,
        ...(rest.domain_name === undefined
          ? {}
          : { reversed_name: reversedName(rest.domain_name) }),
        ...(cache_enabled === undefined ? {} : { cache_enabled: cache_enabled ? 1 : 0 }),
        ...(redirect_https === undefined ? {} : { redirect_https: redirect_https ? 1 : 0 }),
        ...(hsts === undefined ? {} : { hsts: hsts ? 1 : 0 }),
        ...(default_host === undefined ? {} : { default_host: default_host ? 1 : 0 }),
        ...(application_paths === undefined
          ? {}
          : { application_paths: application_paths && JSON.stringify(application_paths) }),
        ...(cache_exclude === undefined ? {} : { cache_exclude: JSON.stringify(cache_exclude) }),
        ...fromCacheRules({
          ...(cache_bypass_cookies === undefined ? {} : { cache_bypass_cookies }),
          ...(cache_ignore_params === undefined ? {} : { cache_ignore_params }),
          ...(cache_mobile_variant === undefined ? {} : { cache_mobile_variant }),
          ...(cache_harmless_cookies === undefined ? {} : { cache_harmless_cookies }),
          ...(cache_session_cookies === undefined ? {} : { cache_session_cookies }),
        }),
      }
      if (Object.keys(set).length === 0) return
      await runBatch([write.updateTable('domains').set(set).where('id', '=', id).compile()])
    },
    async deleteDomain(id) {
      const name = db.selectFrom('domains').select('domain_name').where('id', '=', id)
      await runBatch([
        write.deleteFrom('certificates').where('domain', '=', name).compile(),
        write.deleteFrom('domains').where('id', '=', id).compile(),
      ])
    },
  }
}
