import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { AccountRow, ResellerRow } from '#handlers/ports/store/records.ts'
import type {
  KnownReseller,
  ResellerStore,
  ResellerUse,
} from '#handlers/ports/store/access/reseller-store.ts'
import type { StoreContext } from '../../context.ts'
import { jsonArrayOf, textsOf } from '../../dialect-words.ts'
import { insertWhere, operationExists } from '../../conditional-insert.ts'
import { equals, filtered, listTail, matches } from '../../list.ts'
import { fromOperation } from '../../rows.ts'
import { isFreeName } from '../../user-tables.ts'
import { endTokens, forgetUser } from './forget-user.ts'

type Part = Omit<ResellerStore, 'moveAccounts' | 'updatePromise'>

const COUNTED = sql.raw('(select id from accounts where reseller_id = resellers.id)')
const USE: Readonly<
  Record<Exclude<keyof ResellerUse, 'bandwidth_used_bytes'>, RawBuilder<number>>
> = {
  accounts: sql`(select count(*) from accounts where reseller_id = resellers.id)`,
  domains: sql`(select count(*) from domains where account_id in ${COUNTED})`,
  databases: sql`(select count(*) from databases where account_id in ${COUNTED})`,
  disk_promised_mb: sql`(select coalesce(sum(disk_quota_mb), 0) from accounts where reseller_id = resellers.id)`,
  bandwidth_promised_mb: sql`(select coalesce(sum(bandwidth_quota_mb), 0) from accounts where reseller_id = resellers.id)`,
  disk_used_mb: sql`(select coalesce(sum(disk_used_mb), 0) from accounts where reseller_id = resellers.id)`,
}

const SORTABLE = {
  id: 'id',
  username: 'username',
  status: 'status',
  accounts: 'accounts',
  disk_promised_mb: 'disk_promised_mb',
  created_at: 'created_at',
}

type Counted = ResellerRow & ResellerUse & { plans: string }

const known = ({ plans, ...row }: Counted): KnownReseller => {
  const { accounts, domains, databases, disk_promised_mb, bandwidth_promised_mb, ...more } = row
  const { disk_used_mb, bandwidth_used_bytes, ...reseller } = more
  return {
    ...reseller,
    plans: JSON.parse(plans) as string[],
    use: {
      accounts,
      domains,
      databases,
      disk_promised_mb,
      bandwidth_promised_mb,
      disk_used_mb,
      bandwidth_used_bytes,
    },
  }
}

const allThere = (plans: readonly string[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(select count(*) from plans where name in ${textsOf(plans)}) = ${new Set(plans).size}`

/** Resellers. */
export const resellersPart = ({ db, write, runBatch }: StoreContext): Part => {
  const counted = (month: string) => {
    const traffic = sql<number>`(select coalesce(sum(bandwidth_used_bytes), 0) from accounts
      where reseller_id = resellers.id and bandwidth_month = ${month})`
    const plans = sql<string>`(select ${jsonArrayOf('plan')} from (
      select plan from reseller_plans where reseller_id = resellers.id order by plan) as his)`
    return db
      .selectFrom('resellers')
      .selectAll()
      .select(Object.entries(USE).map(([name, value]) => value.as(name)))
      .select([traffic.as('bandwidth_used_bytes'), plans.as('plans')])
  }
  const putPlans = (
    id: RawBuilder<number> | number,
    plans: readonly string[],
    when: RawBuilder<SqlBool>,
  ) => [
    sql`delete from reseller_plans where reseller_id = ${id} and ${when}`.compile(write),
    sql`insert into reseller_plans (reseller_id, plan) select ${id}, name
      from plans where name in ${textsOf(plans)} and ${when}`.compile(write),
  ]
  return {
    async listResellers(month, query = {}) {
      let base = db.selectFrom(counted(month).as('known'))
      if (query.q !== undefined) base = base.where(matches(['username'], query.q))
      const wanted = filtered(query, { status: equals('status') })
      if (wanted !== null) base = base.where(wanted)
      const { column, direction, limit, offset } = listTail(query, 'id', SORTABLE)
      let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id')
      if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
      const [page, count] = await Promise.all([
        rows.execute(),
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      ])
      return { rows: (page as unknown as Counted[]).map(known), total: Number(count.total) }
    },
    async knownReseller(id, month) {
      const row = await counted(month).where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : known(row as unknown as Counted)
    },
    resellerById: async (id) =>
      (await db.selectFrom('resellers').selectAll().where('id', '=', id).executeTakeFirst()) ??
      null,
    resellerByName: async (username) =>
      (await db
        .selectFrom('resellers')
        .selectAll()
        .where('username', '=', username)
        .executeTakeFirst()) ?? null,
    async accountIdsOf(id) {
      const rows = await db
        .selectFrom('accounts')
        .select('id')
        .where('reseller_id', '=', id)
        .execute()
      return rows.map((row) => row.id)
    },
    accountsOfReseller: (id): Promise<AccountRow[]> =>
      db.selectFrom('accounts').selectAll().where('reseller_id', '=', id).orderBy('id').execute(),
    async mayGivePlan(id, plan) {
      const row = await db
        .selectFrom('reseller_plans')
        .select('plan')
        .where('reseller_id', '=', id)
        .where('plan', '=', plan)
        .executeTakeFirst()
      return row !== undefined
    },
    async insertReseller(row, plans) {
      const free = isFreeName(row.username)
      const there = allThere(plans)
      const id: RawBuilder<number> = sql`(select id from resellers where username = ${row.username})`
      const values = {
        username: row.username,
        password_hash: row.password_hash,
        status: row.status,
        suspend_reason: row.suspend_reason,
        accounts_limit: row.accounts_limit,
        domains_limit: row.domains_limit,
        databases_limit: row.databases_limit,
        disk_limit_mb: row.disk_limit_mb,
        bandwidth_limit_mb: row.bandwidth_limit_mb,
        not_before_secs: row.not_before_secs,
        created_at: row.created_at,
        updated_at: row.updated_at,
      }
      const fresh = sql<SqlBool>`exists (select 1 from resellers where username = ${row.username}
        and password_hash = ${row.password_hash})`
      const [why, made] = await runBatch([
        sql`select ${free} as free`.compile(write),
        insertWhere(write, 'resellers', values, sql<SqlBool>`${free} and ${there}`),
        // The hash is salted: only the row that was just made has it.
        ...putPlans(id, plans, fresh),
      ])
      const inserted = made?.rows[0]
      if (inserted !== undefined) return inserted as unknown as ResellerRow
      return why?.rows[0]?.['free'] === 0 ? 'duplicate' : 'no-plan'
    },
    async updateReseller(id, change, { plans, endTokens: ends = false } = {}) {
      const isTrue = sql<SqlBool>`true`
      const free =
        change.username === undefined
          ? isTrue
          : isFreeName(change.username, { role: 'reseller', id })
      const there = plans === undefined ? isTrue : allThere(plans)
      const may = sql<SqlBool>`(${free} and ${there})`
      const [why] = await runBatch([
        sql`select ${free} as free, ${there} as there`.compile(write),
        ...(Object.keys(change).length === 0
          ? []
          : [write.updateTable('resellers').set(change).where('id', '=', id).where(may).compile()]),
        // Both hold afterwards too where the change was made.
        ...(plans === undefined ? [] : putPlans(id, plans, may)),
        ...(ends ? [endTokens(write, { role: 'reseller', id }, may)] : []),
      ])
      if (why?.rows[0]?.['free'] === 0) return 'duplicate'
      return why?.rows[0]?.['there'] === 0 ? 'no-plan' : 'done'
    },
    async transitReseller(id, from, operation, change) {
      const inState = sql<SqlBool>`exists (select 1 from resellers where id = ${id} and status = ${from})`
      const opened = operationExists(operation.id)
      const [, updated] = await runBatch([
        insertWhere(write, 'operations', fromOperation(operation), inState),
        write.updateTable('resellers').set(change).where('id', '=', id).where(opened).compile(),
        endTokens(write, { role: 'reseller', id }, opened),
      ])
      return updated?.changes === 1
    },
    async deleteReseller(id) {
      const unused = sql<SqlBool>`not exists (select 1 from accounts where reseller_id = ${id})`
      const gone = sql<SqlBool>`not exists (select 1 from resellers where id = ${id})`
      const plansGone = sql`delete from reseller_plans where reseller_id = ${id} and ${unused}`
      const [, deleted] = await runBatch([
        plansGone.compile(write),
        write.deleteFrom('resellers').where('id', '=', id).where(unused).compile(),
        ...forgetUser(write, { role: 'reseller', id }, gone),
      ])
      return deleted?.changes === 1 ? 'done' : 'used'
    },
  }
}
