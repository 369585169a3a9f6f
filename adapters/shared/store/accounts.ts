import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { AccountRow } from '#handlers/ports/records.ts'
import type { Store } from '#handlers/ports/store.ts'
import { hasRoom, insertWhere, operationExists } from './conditional-insert.ts'
import type { StoreContext } from './context.ts'
import { forgetUser } from './forget-user.ts'
import { matches, listTail } from './list.ts'
import { relatedNames } from './related-names.ts'
import { fromAccount, fromDomain, fromOperation, toDomain } from './rows.ts'

type Part = Pick<
  Store,
  | 'listAccounts'
  | 'accountById'
  | 'accountByName'
  | 'countAccounts'
  | 'insertAccount'
  | 'updateAccount'
  | 'transitAccount'
  | 'deleteAccount'
>

const SORTABLE = Object.fromEntries(
  [
    'id',
    'username',
    'primary_domain',
    'email',
    'plan',
    'status',
    'disk_quota_mb',
    'disk_used_mb',
    'created_at',
  ].map((column) => [column, column]),
)
const SEARCHED = ['username', 'primary_domain', 'email']

/** Accounts. */
export const accountsPart = ({ db, runBatch }: StoreContext): Part => ({
  async listAccounts(query = {}) {
    let base = db.selectFrom('accounts')
    if (query.accountId !== undefined) base = base.where('id', '=', query.accountId)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const { column, direction, limit, offset } = listTail(query, 'id', SORTABLE)
    let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id')
    if (limit === undefined) {
      const all = await rows.execute()
      return { rows: all, total: all.length }
    }
    rows = rows.limit(limit).offset(offset ?? 0)
    const [page, count] = await Promise.all([
      rows.execute(),
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { rows: page, total: Number(count.total) }
  },
  accountById: async (id) =>
    (await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,
  accountByName: async (username) =>
    (await db
      .selectFrom('accounts')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirst()) ?? null,
  async countAccounts() {
    const row = await db
      .selectFrom('accounts')
      .select((e) => e.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return Number(row.total)
  },
  async insertAccount(account, primary, operation, limits) {
    const nameTaken = sql<SqlBool>`exists (select 1 from accounts where username = ${account.username})`
    const domainTaken = sql<SqlBool>`exists (select 1 from domains where ${relatedNames(primary.domain_name)})`
    const accountsRoom = hasRoom('accounts', limits.accounts)
    const domainsRoom = hasRoom('domains', limits.domains)
    const free = sql<SqlBool>`not ${nameTaken} and not ${domainTaken} and ${accountsRoom} and ${domainsRoom}`
    const accountId: RawBuilder<number> = sql`(select id from accounts where username = ${account.username})`
    const opened = operationExists(operation.id)
    const [why, , accounts, domains] = await runBatch([
      sql`select ${nameTaken} as name_taken, ${domainTaken} as domain_taken,
        ${accountsRoom} as accounts_room, ${domainsRoom} as domains_room`.compile(db),
      insertWhere(db, 'operations', fromOperation(operation), free),
      insertWhere(db, 'accounts', fromAccount(account), opened),
      insertWhere(db, 'domains', { account_id: accountId, ...fromDomain(primary) }, opened),
    ])
    const row = accounts?.rows[0]
    const domain = domains?.rows[0]
    if (row !== undefined && domain !== undefined) {
      return {
        account: row as unknown as AccountRow,
        domain: toDomain(domain as Parameters<typeof toDomain>[0]),
      }
    }
    const reasons = why?.rows[0] ?? {}
    if (reasons['name_taken'] === 1) return 'duplicate-username'
    if (reasons['domain_taken'] === 1) return 'duplicate-domain'
    return reasons['accounts_room'] === 0 ? 'account-limit' : 'domain-limit'
  },
  async updateAccount(id, change) {
    if (Object.keys(change).length === 0) return
    await db.updateTable('accounts').set(change).where('id', '=', id).execute()
  },
  async transitAccount(id, from, to, operation, change = {}) {
    const inState = sql<SqlBool>`exists (select 1 from accounts where id = ${id} and status in (${sql.join(from)}))`
    const [, updated] = await runBatch([
      insertWhere(db, 'operations', fromOperation(operation), inState),
      db
        .updateTable('accounts')
        .set({ ...change, status: to })
        .where('id', '=', id)
        .where(operationExists(operation.id))
        .compile(),
    ])
    return updated?.changes === 1
  },
  async deleteAccount(id) {
    await runBatch([
      ...forgetUser(db, { role: 'account', id }),
      db.deleteFrom('databases').where('account_id', '=', id).compile(),
      db.deleteFrom('certificates').where('account_id', '=', id).compile(),
      db.deleteFrom('domains').where('account_id', '=', id).compile(),
      db.deleteFrom('accounts').where('id', '=', id).compile(),
    ])
  },
})
