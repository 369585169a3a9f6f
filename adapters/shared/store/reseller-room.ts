import { sql } from 'kysely'
import type { RawBuilder, SqlBool, CompiledQuery } from 'kysely'
import type { ResellerShortage } from '#handlers/ports/store/access/reseller-store.ts'
import type { StoreWriter } from './context.ts'

/** A reseller's id, or the expression of one; null is nobody, who has no limits. */
type Reseller = number | null | RawBuilder<number | null>

/** The id of the reseller of an account. */
export const resellerOf = (accountId: number): RawBuilder<number | null> =>
  sql`(select reseller_id from accounts where id = ${accountId})`

const within = (reseller: Reseller, limit: string, sum: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select 1 from resellers where id = ${reseller}
    and ${sql.ref(limit)} is not null and ${sum} > ${sql.ref(limit)})`

/** Whether the reseller's accounts may have `more` domains or databases beside what they have. */
export const hasResellerRoom = (
  table: 'domains' | 'databases',
  reseller: Reseller,
  more: number | RawBuilder<number>,
): RawBuilder<SqlBool> =>
  within(
    reseller,
    `${table}_limit`,
    sql`(select count(*) from ${sql.table(table)} where account_id in (
      select id from accounts where reseller_id = ${reseller})) + ${more}`,
  )

/** Whether the reseller may have `more` accounts. */
export const hasAccountRoom = (
  reseller: Reseller,
  more: number | RawBuilder<number>,
): RawBuilder<SqlBool> =>
  within(
    reseller,
    'accounts_limit',
    sql`(select count(*) from accounts where reseller_id = ${reseller}) + ${more}`,
  )

const QUOTAS = {
  disk: ['disk_quota_mb', 'disk_limit_mb'],
  bandwidth: ['bandwidth_quota_mb', 'bandwidth_limit_mb'],
} as const

/** Whether the reseller may promise `more` megabytes beside what his accounts but one are promised. */
export const hasPromise = (
  what: keyof typeof QUOTAS,
  reseller: Reseller,
  more: number | RawBuilder<number>,
  exceptAccount = 0,
): RawBuilder<SqlBool> => {
  const [quota, limit] = QUOTAS[what]
  return within(
    reseller,
    limit,
    sql`(select coalesce(sum(${sql.ref(quota)}), 0) from accounts
      where reseller_id = ${reseller} and id <> ${exceptAccount}) + ${more}`,
  )
}

/** Whether the reseller is there and active. */
export const isActiveReseller = (reseller: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from resellers where id = ${reseller} and status = 'active')`

/** Whether he may give a plan. */
export const mayGive = (reseller: number, plan: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from reseller_plans where reseller_id = ${reseller} and plan = ${plan})`

/** Conditions under the names of what is short where they do not hold. */
export type Conditions = Partial<Record<ResellerShortage, RawBuilder<SqlBool>>>

/** All of them together. */
export const allOf = (conditions: Conditions): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join([sql`true`, ...Object.values(conditions)], sql` and `)})`

/** The statement that tells which of them hold; read by `shortageIn`. */
export const whichHold = (write: StoreWriter, conditions: Conditions): CompiledQuery =>
  sql`select ${sql.join([
    sql`1 as asked`,
    ...Object.entries(conditions).map(([name, holds]) => sql`${holds} as ${sql.ref(name)}`),
  ])}`.compile(write)

/** The first that did not hold, in the order in which they were asked; null: all did. */
export const shortageIn = (
  row: Readonly<Record<string, unknown>> | undefined,
  conditions: Conditions,
): ResellerShortage | null =>
  (Object.keys(conditions) as ResellerShortage[]).find((name) => row?.[name] !== 1) ?? null

/** What a new account needs of its reseller; nothing of nobody. */
export const newAccountRoom = (account: {
  reseller_id: number | null
  plan: string
  disk_quota_mb: number
  bandwidth_quota_mb: number
}): Conditions => {
  const { reseller_id: reseller, plan, disk_quota_mb, bandwidth_quota_mb } = account
  if (reseller === null) return {}
  return {
    gone: isActiveReseller(reseller),
    plan: mayGive(reseller, plan),
    accounts: hasAccountRoom(reseller, 1),
    domains: hasResellerRoom('domains', reseller, 1),
    disk: hasPromise('disk', reseller, disk_quota_mb),
    bandwidth: hasPromise('bandwidth', reseller, bandwidth_quota_mb),
  }
}
