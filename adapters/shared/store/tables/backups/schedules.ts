import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type {
  BackupSchedule,
  BackupScheduleRow,
  BackupScheduleStore,
  ScheduleOwner,
} from '#handlers/ports/store/backup-schedule-store.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import type { Tables } from '../../schema.ts'

/** Key columns of an owner. */
const keyOf = (owner: ScheduleOwner): { scope: 'plan' | 'account'; owner: string } =>
  'plan' in owner
    ? { scope: 'plan', owner: owner.plan }
    : { scope: 'account', owner: String(owner.accountId) }

const toRow = (row: Selectable<Tables['backup_schedules']>): BackupScheduleRow => ({
  owner: row.scope === 'plan' ? { plan: row.owner } : { accountId: Number(row.owner) },
  schedule: JSON.parse(row.schedule) as BackupSchedule,
  updated_at: row.updated_at,
})

/** Schedules of backups and the last run of each account. */
export const backupSchedulesPart = ({
  db,
  write,
  runBatch,
}: StoreContext): BackupScheduleStore => ({
  async listBackupSchedules() {
    const rows = await db
      .selectFrom('backup_schedules')
      .selectAll()
      .orderBy('scope', 'desc')
      .orderBy('owner')
      .execute()
    return rows.map(toRow)
  },
  async putBackupSchedule({ owner, schedule, updated_at }) {
    const key = keyOf(owner)
    const values = { ...key, schedule: JSON.stringify(schedule), updated_at }
    const exists =
      'plan' in owner
        ? sql<SqlBool>`exists (select 1 from plans where name = ${owner.plan})`
        : sql<SqlBool>`exists (select 1 from accounts where id = ${owner.accountId})`
    await runBatch([
      write
        .deleteFrom('backup_schedules')
        .where('scope', '=', key.scope)
        .where('owner', '=', key.owner)
        .compile(),
      insertWhere(write, 'backup_schedules', values, exists),
    ])
  },
  async deleteBackupSchedule(owner) {
    const key = keyOf(owner)
    await runBatch([
      write
        .deleteFrom('backup_schedules')
        .where('scope', '=', key.scope)
        .where('owner', '=', key.owner)
        .compile(),
    ])
  },
  listBackupRuns: () => db.selectFrom('backup_runs').selectAll().orderBy('account_id').execute(),
  async beginBackupRun({ account_id, what, started_at }, previous) {
    const [begun] = await runBatch([
      sql`insert into backup_runs (account_id, what, started_at, ended_at, outcome, error, succeeded_at)
        select ${account_id}, ${what}, ${started_at}, null, 'running', null, null
        where exists (select 1 from accounts where id = ${account_id})
        on conflict (account_id) do update set what = excluded.what, started_at = excluded.started_at,
          ended_at = null, outcome = 'running', error = null
        where backup_runs.started_at = ${previous} and backup_runs.outcome <> 'running'
        returning account_id`.compile(write),
    ])
    return begun?.rows[0] !== undefined
  },
  async endBackupRun(accountId, { at, outcome, error }) {
    await runBatch([
      write
        .updateTable('backup_runs')
        .set({
          ended_at: at,
          outcome,
          error,
          ...(outcome === 'done' ? { succeeded_at: sql<string>`started_at` } : {}),
        })
        .where('account_id', '=', accountId)
        .where('outcome', '=', 'running')
        .compile(),
    ])
  },
  async interruptBackupRuns(at) {
    await runBatch([
      write
        .updateTable('backup_runs')
        .set({ ended_at: at, outcome: 'interrupted' })
        .where('outcome', '=', 'running')
        .compile(),
    ])
  },
})
