import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type {
  CronJobRow,
  CronRunRow,
  CronStore,
  ListedCronJob,
} from '#handlers/ports/store/cron-store.ts'
import { hasOwnRoom, insertWhere } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { ROWID } from '../dialect-words.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../list.ts'
import type { Tables } from '../schema.ts'

const SORTABLE: Readonly<Record<string, string>> = {
  id: 'cron_jobs.id',
  name: 'name',
  schedule: 'schedule',
  next_at: 'next_at',
  created_at: 'created_at',
  last_started_at: 'last_started_at',
}
const SEARCHED = ['name', 'command', 'schedule']
const LAST = (column: 'outcome' | 'started_at') =>
  sql<never>`(select ${sql.ref(column)} from cron_runs where job_id = cron_jobs.id
    order by due_at desc, ${ROWID} desc limit 1)`
const FILTERS = {
  enabled: (value: string) => sql<SqlBool>`enabled = ${Number(value === 'true')}`,
  outcome: equals('last_outcome'),
}

const toJob = <Row extends Selectable<Tables['cron_jobs']>>(row: Row) => ({
  ...row,
  enabled: row.enabled !== 0,
})
const toRun = (row: Selectable<Tables['cron_runs']>): CronRunRow => ({
  ...row,
  by_hand: row.by_hand !== 0,
})
const fromJob = ({ enabled, ...rest }: Partial<Omit<CronJobRow, 'id'>>) => ({
  ...rest,
  ...(enabled === undefined ? {} : { enabled: Number(enabled) }),
})
const fromRun = ({ by_hand, ...rest }: Partial<CronRunRow>) => ({
  ...rest,
  ...(by_hand === undefined ? {} : { by_hand: Number(by_hand) }),
})

/** Cron jobs and their runs. */
export const cronPart = ({ db, write, runBatch }: StoreContext): CronStore => ({
  async listCronJobs(query = {}) {
    const jobs = db
      .selectFrom('cron_jobs')
      .innerJoin('accounts', 'accounts.id', 'cron_jobs.account_id')
      .selectAll('cron_jobs')
      .select('accounts.username')
      .select([LAST('outcome').as('last_outcome'), LAST('started_at').as('last_started_at')])
    let base = db.selectFrom(jobs.as('cron_jobs'))
    const owned = ownedBy(query, 'account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const wanted = filtered(query, FILTERS)
    if (wanted !== null) base = base.where(wanted)
    const { column, direction, limit, offset } = listTail(query, 'name', SORTABLE)
    let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page.map((row) => toJob(row) as ListedCronJob), total }
  },
  async cronJob(id) {
    const row = await db.selectFrom('cron_jobs').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : toJob(row)
  },
  async insertCronJob(row, limit) {
    const values = {
      account_id: row.account_id,
      name: row.name,
      schedule: row.schedule,
      time_zone: row.time_zone,
      kind: row.kind,
      command: row.command,
      enabled: Number(row.enabled),
      time_limit_secs: row.time_limit_secs,
      overlap: row.overlap,
      notify_after: row.notify_after,
      next_at: row.next_at,
      failures: row.failures,
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
    const room = hasOwnRoom('cron_jobs', row.account_id, limit)
    const [made] = await runBatch([insertWhere(write, 'cron_jobs', values, room)])
    const first = made?.rows[0]
    return first === undefined
      ? 'limit'
      : toJob(first as unknown as Selectable<Tables['cron_jobs']>)
  },
  async updateCronJob(id, change) {
    await runBatch([
      write.updateTable('cron_jobs').set(fromJob(change)).where('id', '=', id).compile(),
    ])
  },
  async deleteCronJob(id) {
    await runBatch([write.deleteFrom('cron_jobs').where('id', '=', id).compile()])
  },
  async dueCronJobs(at, wrongAfter) {
    const rows = await db
      .selectFrom('cron_jobs')
      .innerJoin('accounts', 'accounts.id', 'cron_jobs.account_id')
      .selectAll('cron_jobs')
      .select('accounts.username')
      .where('accounts.status', '=', 'active')
      .where('cron_jobs.enabled', '=', 1)
      .where((e) => e.or([e('next_at', '<=', at), e('next_at', '>', wrongAfter)]))
      .orderBy('next_at')
      .orderBy('cron_jobs.id')
      .execute()
    return rows.map(toJob)
  },
  async beginCronRun(row, nextAt) {
    const values = {
      id: row.id,
      job_id: row.job_id,
      due_at: row.due_at,
      by_hand: Number(row.by_hand),
      started_at: row.started_at,
      ended_at: row.ended_at,
      outcome: row.outcome,
      code: row.code,
      output: row.output,
    }
    const fresh = sql<SqlBool>`exists (select 1 from cron_jobs where id = ${row.job_id}) and (${
      values.by_hand
    } = 1 or not exists (select 1 from cron_runs where job_id = ${row.job_id} and due_at = ${
      row.due_at
    } and by_hand = 0))`
    const [made] = await runBatch([
      insertWhere(write, 'cron_runs', values, fresh),
      ...(nextAt === undefined
        ? []
        : [
            write
              .updateTable('cron_jobs')
              .set({ next_at: nextAt })
              .where('id', '=', row.job_id)
              .compile(),
          ]),
    ])
    return made?.rows[0] !== undefined
  },
  async updateCronRun(id, change) {
    await runBatch([
      write.updateTable('cron_runs').set(fromRun(change)).where('id', '=', id).compile(),
    ])
  },
  async listCronRuns(jobId) {
    const rows = await db
      .selectFrom('cron_runs')
      .selectAll()
      .where('job_id', '=', jobId)
      .orderBy('due_at', 'desc')
      .orderBy(ROWID, 'desc')
      .execute()
    return rows.map(toRun)
  },
  async openCronRuns() {
    const rows = await db
      .selectFrom('cron_runs')
      .selectAll()
      .where('ended_at', 'is', null)
      .orderBy('due_at')
      .orderBy(ROWID)
      .execute()
    return rows.map(toRun)
  },
  async trimCronRuns(jobId, keep, keepSkipped) {
    const newest = (skipped: boolean, count: number) =>
      sql`select id from cron_runs where job_id = ${jobId} and ended_at is not null
        and outcome ${sql.raw(skipped ? '=' : '<>')} 'skipped' order by due_at desc, ${ROWID} desc limit ${count}`
    await runBatch([
      sql`delete from cron_runs where job_id = ${jobId} and ended_at is not null
      and id not in (${newest(false, keep)}) and id not in (${newest(true, keepSkipped)})`.compile(
        write,
      ),
    ])
  },
})
