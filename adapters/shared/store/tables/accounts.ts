import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { AccountRow } from '#handlers/ports/store/records.ts'
import type { AccountTotals, Store } from '#handlers/ports/store/store.ts'
import { hasRoom, insertWhere, operationExists } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { numbersOf } from '../dialect-words.ts'
import { hostMayTake } from '../host-room.ts'
import { endPeople, forgetPeople } from './access/end-people.ts'
import { endTokens, forgetUser } from './access/forget-user.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../list.ts'
import { allOf, newAccountRoom, shortageIn, whichHold } from '../reseller-room.ts'
import { relatedNames } from '../related-names.ts'
import { fromAccount, fromDomain, fromOperation, toDomain } from '../rows.ts'
import { isFreeName } from '../user-tables.ts'

type Part = Pick<
  Store,
  | 'listAccounts'
  | 'accountById'
  | 'accountByName'
  | 'countAccounts'
  | 'accountTotals'
  | 'insertAccount'
  | 'updateAccount'
  | 'transitAccount'
  | 'deleteAccount'
>

const SORTABLE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'id',
    'username',
    'primary_domain',
    'email',
    'plan',
    'status',
    'reseller_id',
    'disk_quota_mb',
    'disk_used_mb',
    'bandwidth_used_mb',
    'created_at',
  ].map((column) => [column, column]),
)
const SEARCHED = ['username', 'primary_domain', 'email', 'suspend_reason']

/** Whether a quota is larger than that of the plan. */
const ABOVE_PLAN = sql<SqlBool>`exists (select 1 from plans where plans.name = accounts.plan
  and (accounts.disk_quota_mb > plans.disk_quota_mb or accounts.bandwidth_quota_mb > plans.bandwidth_quota_mb))`

/** Whether there is a plan of this name. */
const planExists = (name: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from plans where name = ${name})`

const FILTERS = {
  username: equals('username'),
  status: equals('status'),
  host: (value: string) =>
    sql<SqlBool>`host_id in (select id from hosts where hosts.name = ${value})`,
  plan: equals('plan'),
  reseller: (value: string) =>
    value === 'none'
      ? sql<SqlBool>`reseller_id is null`
      : sql<SqlBool>`reseller_id = ${Number(value)}`,
  above_plan: (value: string) => (value === 'true' ? ABOVE_PLAN : sql<SqlBool>`not ${ABOVE_PLAN}`),
}

/** Order of a list; traffic of an earlier month is less than any of this one. */
const orderOf = (column: string): string[] =>
  column === 'bandwidth_used_mb' ? ['bandwidth_month', 'bandwidth_used_bytes'] : [column]

/** Accounts. */
export const accountsPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async listAccounts(query = {}) {
    let base = db.selectFrom('accounts')
    const owned = ownedBy(query, 'id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const wanted = filtered(query, FILTERS)
    if (wanted !== null) base = base.where(wanted)
    const { column, direction, limit, offset } = listTail(query, 'id', SORTABLE)
    let rows = base.selectAll()
    for (const one of [...orderOf(column), 'id']) rows = rows.orderBy(sql.ref(one), direction)
    if (limit === undefined) {
      const all = await rows.execute()
      return { rows: all, total: all.length }
    }
    rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page, total }
  },
  accountById: async (id) =>
    (await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,
  accountByName: async (username) =>
    (await db
      .selectFrom('accounts')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirst()) ?? null,
  async accountTotals(ids) {
    const these = numbersOf(ids)
    const { rows } = await db.query(sql<AccountTotals>`select
      (select count(*) from accounts where id in ${these}) as accounts,
      (select coalesce(sum(disk_used_mb), 0) from accounts where id in ${these}) as disk_used_mb,
      (select count(*) from domains where account_id in ${these}) as domains,
      (select count(*) from databases where account_id in ${these}) as databases,
      (select count(*) from certificates where account_id in ${these}) as certificates,
      (select count(*) from backups where account_id in ${these})
        + (select count(*) from snapshots where account_id in ${these}) as backups`)
    const [totals] = rows
    if (totals === undefined) throw new Error('A query of sums gave no row.')
    return totals
  },
  async countAccounts() {
    const row = await db
      .selectFrom('accounts')
      .select((e) => e.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return Number(row.total)
  },
  async insertAccount(account, primary, operation, limits) {
    const nameTaken = sql<SqlBool>`not ${isFreeName(account.username)}`
    const domainTaken = sql<SqlBool>`exists (select 1 from domains where ${relatedNames(primary.domain_name)})`
    const accountsRoom = hasRoom('accounts', limits.accounts)
    const domainsRoom = hasRoom('domains', limits.domains)
    const plan = planExists(account.plan)
    const his = newAccountRoom(account)
    const host =
      limits.place === undefined ? sql<SqlBool>`true` : hostMayTake(account.host_id, limits.place)
    const free = sql<SqlBool>`not ${nameTaken} and not ${domainTaken} and ${accountsRoom} and ${domainsRoom} and ${plan} and ${host} and ${allOf(his)}`
    const accountId: RawBuilder<number> = sql`(select id from accounts where username = ${account.username})`
    const opened = operationExists(operation.id)
    const [why, hold, , accounts, domains] = await runBatch([
      sql`select ${nameTaken} as name_taken, ${domainTaken} as domain_taken,
        ${accountsRoom} as accounts_room, ${domainsRoom} as domains_room, ${plan} as plan, ${host} as host`.compile(
        write,
      ),
      whichHold(write, his),
      insertWhere(write, 'operations', fromOperation(operation), free),
      insertWhere(write, 'accounts', fromAccount(account), opened),
      insertWhere(write, 'domains', { account_id: accountId, ...fromDomain(primary) }, opened),
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
    if (reasons['plan'] === 0) return 'no-plan'
    if (reasons['host'] === 0) return 'host'
    const short = shortageIn(hold?.rows[0], his)
    if (short !== null) return `reseller:${short}`
    return reasons['accounts_room'] === 0 ? 'account-limit' : 'domain-limit'
  },
  async updateAccount(id, change, options = {}) {
    if (Object.keys(change).length === 0) return
    let update = write.updateTable('accounts').set(change).where('id', '=', id)
    if (change.plan !== undefined) update = update.where(planExists(change.plan))
    await runBatch([
      update.compile(),
      ...(options.endTokens === true ? [endTokens(write, { role: 'account', id })] : []),
      ...(options.endPeople === true ? endPeople(write, id, sql<SqlBool>`true`) : []),
    ])
  },
  async transitAccount(id, from, to, operation, change = {}) {
    const inState = sql<SqlBool>`exists (select 1 from accounts where id = ${id} and status in (${sql.join(from)}))`
    const [, updated] = await runBatch([
      insertWhere(write, 'operations', fromOperation(operation), inState),
      write
        .updateTable('accounts')
        .set({ ...change, status: to })
        .where('id', '=', id)
        .where(operationExists(operation.id))
        .compile(),
      endTokens(write, { role: 'account', id }, operationExists(operation.id)),
      ...endPeople(write, id, operationExists(operation.id)),
    ])
    return updated?.changes === 1
  },
  async deleteAccount(id) {
    await runBatch([
      ...forgetUser(write, { role: 'account', id }),
      ...forgetPeople(write, id),
      write.deleteFrom('backup_runs').where('account_id', '=', id).compile(),
      write
        .deleteFrom('backup_schedules')
        .where('scope', '=', 'account')
        .where('owner', '=', String(id))
        .compile(),
      write.deleteFrom('databases').where('account_id', '=', id).compile(),
      write.deleteFrom('database_addresses').where('account_id', '=', id).compile(),
      write.deleteFrom('database_users').where('account_id', '=', id).compile(),
      write.deleteFrom('certificates').where('account_id', '=', id).compile(),
      write.deleteFrom('sftp_logins').where('account_id', '=', id).compile(),
      write.deleteFrom('ssh_keys').where('account_id', '=', id).compile(),
      write.deleteFrom('sftp_users').where('account_id', '=', id).compile(),
      write.deleteFrom('sftp_access').where('account_id', '=', id).compile(),
      write.deleteFrom('cron_jobs').where('account_id', '=', id).compile(),
      write.deleteFrom('domains').where('account_id', '=', id).compile(),
      write.deleteFrom('applications').where('account_id', '=', id).compile(),
      write.deleteFrom('accounts').where('id', '=', id).compile(),
    ])
  },
})
