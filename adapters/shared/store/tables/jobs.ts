import { sql } from 'kysely'
import type { RawBuilder, Selectable, SqlBool } from 'kysely'
import type { JobRow, JobStore } from '#handlers/ports/jobs.ts'
import { insertWhere } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { JOB_OF_OPERATION, NOW_MS, ROWID } from '../dialect-words.ts'
import { listTail, matches, ownedBy } from '../list.ts'
import { toOperation } from '../rows.ts'
import type { Tables } from '../schema.ts'

const SORTABLE = Object.fromEntries(
  ['id', 'kind', 'subject', 'state', 'progress', 'created_at', 'finished_at'].map((column) => [
    column,
    column,
  ]),
)
const SEARCHED = ['kind', 'subject', 'step', 'error']
const MAX_JOBS = 10_000

const toJob = ({
  result,
  instance: _instance,
  started_by: _startedBy,
  ...row
}: Selectable<Tables['jobs']>): JobRow => ({
  ...row,
  result: result === null ? null : (JSON.parse(result) as unknown),
})
const jsonOf = (result: unknown): string | null =>
  result === null || result === undefined ? null : JSON.stringify(result)

/** Column values of a job, but for the number of its change. */
const columnsOf = (row: Omit<JobRow, 'change'>) => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  account_id: row.account_id,
  reseller_id: row.reseller_id,
  state: row.state,
  progress: row.progress,
  step: row.step,
  detail: row.detail,
  result: jsonOf(row.result),
  error: row.error,
  status: row.status,
  created_at: row.created_at,
  started_at: row.started_at,
  finished_at: row.finished_at,
})

/** Whose jobs; a reseller's own are those that he began, also of accounts that are gone. */
const jobsOf = (whose: {
  accountId?: number | undefined
  resellerId?: number | undefined
}): RawBuilder<SqlBool> | null => {
  const owned = ownedBy(whose, 'account_id')
  return owned === null || whose.resellerId === undefined
    ? owned
    : sql<SqlBool>`(${owned} or reseller_id = ${whose.resellerId})`
}

/** Jobs and the numbers of their changes. */
export const jobsPart = ({ db, write, runBatch }: StoreContext): JobStore => {
  // In one statement with the change itself, so that no two changes get one number.
  const next: RawBuilder<number> = sql`(select coalesce(max(change), 0) + 1 from jobs)`
  return {
    async insertJob(row, deleteBefore, { instance, bounds } = {}) {
      // The row with the highest number stays, or the numbers would begin anew.
      const old = sql`delete from jobs where finished_at is not null
        and change < (select max(change) from jobs)
        and (finished_at < ${deleteBefore} or created_at < (
          select created_at from jobs order by created_at desc limit 1 offset ${MAX_JOBS}))`
      const hasRoom =
        bounds === undefined
          ? sql<SqlBool>`true`
          : sql<SqlBool>`((select count(*) from jobs where finished_at is null
              and started_by = ${bounds.startedBy}) < ${bounds.most}
            and (select count(*) from jobs where finished_at is null) < ${bounds.mostOfAll})`
      const [inserted] = await runBatch([
        insertWhere(
          write,
          'jobs',
          {
            ...columnsOf(row),
            change: next,
            instance: instance ?? null,
            started_by: bounds?.startedBy ?? null,
          },
          hasRoom,
        ),
        old.compile(write),
      ])
      return inserted?.rows.length === 1
    },
    async updateJob(id, { result, ...change }) {
      await runBatch([
        write
          .updateTable('jobs')
          .set({
            ...change,
            ...(result === undefined ? {} : { result: jsonOf(result) }),
            change: next,
          })
          .where('id', '=', id)
          .where('finished_at', 'is', null)
          .compile(),
      ])
    },
    async jobById(id) {
      const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : toJob(row)
    },
    async listJobs(query = {}) {
      let base = db.selectFrom('jobs')
      const owned = jobsOf(query)
      if (owned !== null) base = base.where(owned)
      if (query.state !== undefined) base = base.where('state', '=', query.state)
      if (query.kind !== undefined) base = base.where('kind', '=', query.kind)
      if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
      const { column, direction, limit, offset } = listTail(query, 'created_at', SORTABLE)
      let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('created_at')
      if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
      const [page, count] = await Promise.all([
        rows.orderBy(ROWID).execute(),
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      ])
      return { rows: page.map(toJob), total: Number(count.total) }
    },
    async jobsChangedSince(change, { accountId, resellerId, id }, limit) {
      let rows = db.selectFrom('jobs').selectAll().where('change', '>', change)
      const owned = jobsOf({ accountId, resellerId })
      if (owned !== null) rows = rows.where(owned)
      if (id !== undefined) rows = rows.where('id', '=', id)
      return (await rows.orderBy('change').limit(limit).execute()).map(toJob)
    },
    async latestJobChange() {
      const row = await db
        .selectFrom('jobs')
        .select((e) => e.fn.max('change').as('change'))
        .executeTakeFirst()
      return Number(row?.change ?? 0)
    },
    async unfinishedJobs(latest, alone) {
      let rows = db
        .selectFrom('jobs')
        .selectAll()
        .where('finished_at', 'is', null)
        .where('created_at', '<=', latest)
      if (alone !== undefined)
        rows = rows.where(
          sql<SqlBool>`(instance is null or instance = ${alone.instance} or not exists (
            select 1 from instances where instances.id = jobs.instance
              and instances.seen_at_ms >= ${NOW_MS} - ${alone.withinMs}))`,
        )
      return (await rows.orderBy('change').execute()).map(toJob)
    },
    async operationsOfJob(id) {
      const rows = await db
        .selectFrom('operations')
        .selectAll()
        .where(JOB_OF_OPERATION, '=', id)
        .orderBy('created_at')
        .execute()
      return rows.map(toOperation)
    },
  }
}
