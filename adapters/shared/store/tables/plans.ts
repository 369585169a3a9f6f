import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { OperationRow, PlanRow } from '#handlers/ports/store/records.ts'
import type { AccountUsage, PlanStore, UsedPlan } from '#handlers/ports/store/plan-store.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { insertWhere } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { toOperation } from '../rows.ts'

/** Column values of a plan, in the order of the table. */
const fromPlan = (row: PlanRow) => ({
  name: row.name,
  disk_quota_mb: row.disk_quota_mb,
  bandwidth_quota_mb: row.bandwidth_quota_mb,
  domains_limit: row.domains_limit,
  databases_limit: row.databases_limit,
  database_users_limit: row.database_users_limit,
  tokens_limit: row.tokens_limit,
  backups_limit: row.backups_limit,
  cron_jobs_limit: row.cron_jobs_limit,
  ssh_keys_limit: row.ssh_keys_limit,
  mails_per_hour_limit: row.mails_per_hour_limit,
  people_limit: row.people_limit,
  sftp_users_limit: row.sftp_users_limit,
  database_addresses_limit: row.database_addresses_limit,
  applications_limit: row.applications_limit,
  shells_limit: row.shells_limit,
  processes_limit: row.processes_limit,
  memory_limit_mb: row.memory_limit_mb,
  memory_total_mb: row.memory_total_mb,
  cpu_weight: row.cpu_weight,
  cpu_percent: row.cpu_percent,
  io_weight: row.io_weight,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const QUOTAS = ['disk_quota_mb', 'bandwidth_quota_mb'] as const

/** Plans. */
export const plansPart = ({ db, write, runBatch }: StoreContext): PlanStore => {
  const plans = () =>
    db
      .selectFrom('plans')
      .selectAll()
      .select(
        sql<number>`(select count(*) from accounts where accounts.plan = plans.name)`.as(
          'accounts',
        ),
      )
  const planByName = async (name: string): Promise<UsedPlan | null> =>
    (await plans().where('name', '=', name).executeTakeFirst()) ?? null

  return {
    planByName,
    listPlans: () => plans().orderBy('disk_quota_mb').orderBy('name').execute(),
    async insertPlan(row) {
      const free = sql<SqlBool>`not exists (select 1 from plans where name = ${row.name})`
      const [made] = await runBatch([insertWhere(write, 'plans', fromPlan(row), free)])
      return made?.rows[0] === undefined ? 'duplicate' : { ...row, accounts: 0 }
    },
    async updatePlan(name, change, at, kind) {
      // Before the plan itself, whose old quota tells which accounts follow it.
      const followers = QUOTAS.flatMap((quota) => {
        const value = change[quota]
        if (value === undefined) return []
        return [
          sql`update accounts set ${sql.ref(quota)} = ${value}, updated_at = ${at} where plan = ${name}
            and ${sql.ref(quota)} = (select ${sql.ref(quota)} from plans where name = ${name})`.compile(
            write,
          ),
        ]
      })
      const results = await runBatch([
        ...followers,
        write
          .updateTable('plans')
          .set({ ...change, updated_at: at })
          .where('name', '=', name)
          .compile(),
        sql`insert into operations (id, kind, subject, state, steps, data, created_at)
          select ${`${crypto.randomUUID()}-`} || id, ${kind}, username, 'open', '[]',
            '{"account_id":' || id || '}', ${at}
          from accounts where plan = ${name} and status in ('active', 'suspended')
          returning *`.compile(write),
      ])
      const opened = results.at(-1)?.rows ?? []
      return opened.map((row): OperationRow =>
        toOperation(row as Parameters<typeof toOperation>[0]),
      )
    },
    async deletePlan(name) {
      const used = sql<SqlBool>`exists (select 1 from accounts where plan = ${name})`
      const [why] = await runBatch([
        sql`select ${used} as used`.compile(write),
        write
          .deleteFrom('plans')
          .where('name', '=', name)
          .where(sql<SqlBool>`not ${used}`)
          .compile(),
        sql`delete from reseller_plans where plan = ${name} and not ${used}`.compile(write),
        write
          .deleteFrom('backup_schedules')
          .where('scope', '=', 'plan')
          .where('owner', '=', name)
          .where(sql<SqlBool>`not ${used}`)
          .compile(),
      ])
      return why?.rows[0]?.['used'] === 1 ? 'used' : 'done'
    },
    async accountUsage(id) {
      const { rows } = await db.query(sql<AccountUsage>`select
        (select count(*) from domains where account_id = ${id}) as domains,
        (select count(*) from databases where account_id = ${id}) as databases,
        (select count(*) from database_users where account_id = ${id}) as database_users,
        (select count(*) from api_tokens where role = 'account' and owner_id = ${id}) as tokens,
        (select count(*) from backups where account_id = ${id} and location = 'local' and scheduled = 0)
          + (select count(*) from snapshots where account_id = ${id} and scheduled = 0) as backups,
        (select count(*) from cron_jobs where account_id = ${id}) as cron_jobs,
        (select count(*) from ssh_keys where account_id = ${id}) as ssh_keys,
        (select count(*) from sftp_users where account_id = ${id}) as sftp_users,
        (select count(*) from database_addresses where account_id = ${id}) as database_addresses,
        (select count(*) from applications where account_id = ${id}) as applications,
        (select count(*) from sftp_access where account_id = ${id} and shell <> 0) as shells,
        (select count(*) from members where account_id = ${id})
          + (select count(*) from invitations where account_id = ${id}
            and expires_at > ${timestamp(Date.now())}) as people`)
      const [usage] = rows
      if (usage === undefined) throw new Error('A query of counts gave no row.')
      return usage
    },
  }
}
