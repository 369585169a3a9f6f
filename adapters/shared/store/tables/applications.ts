import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type {
  ApplicationStore,
  ListedApplication,
} from '#handlers/ports/store/application-store.ts'
import { hasOwnRoom, insertWhere, operationExists } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { ROWID } from '../dialect-words.ts'
import { equals, filtered, listTail, matches, ownedBy, totalOf } from '../list.ts'
import { fromOperation } from '../rows.ts'
import type { Tables } from '../schema.ts'

const SORTABLE: Readonly<Record<string, string>> = {
  id: 'applications.id',
  name: 'name',
  folder: 'folder',
  username: 'username',
  created_at: 'created_at',
  deployment_at: 'deployment_at',
}
const SEARCHED = ['name', 'folder', 'start_command', 'username']
const FILTERS = { runtime: equals('runtime_kind'), desired: equals('desired') }
/** Of the deployment that was asked for last. */
const LAST = (column: 'state' | 'created_at') =>
  sql<never>`(select ${sql.ref(column)} from deployments where application_id = applications.id
    order by created_at desc, ${ROWID} desc limit 1)`

const HOOK = sql<
  string | null
>`(select application_hooks.id from application_hooks where application_id = applications.id)`

const toApplication = <Row extends Selectable<Tables['applications']>>(row: Row) => ({
  ...row,
  environment: JSON.parse(row.environment) as Record<string, string>,
  shared_paths: JSON.parse(row.shared_paths) as string[],
  source_push: row.source_push === 1,
  start_command: row.start_command === '' ? null : row.start_command,
})

/** Applications and their deployments. */
export const applicationsPart = ({ db, write, runBatch }: StoreContext): ApplicationStore => ({
  async listApplications(query = {}) {
    const joined = db
      .selectFrom('applications')
      .innerJoin('accounts', 'accounts.id', 'applications.account_id')
      .selectAll('applications')
      .select('accounts.username')
      .select([LAST('state').as('deployment_state'), LAST('created_at').as('deployment_at')])
      .select(HOOK.as('hook_id'))
    let base = db.selectFrom(joined.as('applications'))
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
    return { rows: page.map((row) => toApplication(row) as ListedApplication), total }
  },
  async applicationByName(accountId, name) {
    const row = await db
      .selectFrom('applications')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirst()
    return row === undefined ? null : toApplication(row)
  },
  async applicationById(id) {
    const row = await db
      .selectFrom('applications')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : toApplication(row)
  },
  async insertApplication(row, operation, limit) {
    const taken = sql<SqlBool>`exists (select 1 from applications
      where account_id = ${row.account_id} and name = ${row.name})`
    const room = hasOwnRoom('applications', row.account_id, limit)
    const values = {
      account_id: row.account_id,
      name: row.name,
      folder: row.folder,
      source_url: row.source_url,
      source_branch: row.source_branch,
      source_push: row.source_push ? 1 : 0,
      runtime_kind: row.runtime_kind,
      runtime_version: row.runtime_version,
      install_command: row.install_command,
      build_command: row.build_command,
      start_command: row.start_command ?? '',
      public_folder: row.public_folder,
      shared_paths: JSON.stringify(row.shared_paths),
      environment: JSON.stringify(row.environment),
      listen: row.listen,
      health_path: row.health_path,
      start_limit_secs: row.start_limit_secs,
      restart: row.restart,
      instances: row.instances,
      memory_mb: row.memory_mb,
      cpu_percent: row.cpu_percent,
      sleep_after_secs: row.sleep_after_secs,
      desired: row.desired,
      revision: row.revision,
      live_revision: row.live_revision,
      release: row.release,
      site_root: row.site_root,
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
    const [why, , inserted] = await runBatch([
      sql`select ${taken} as taken`.compile(write),
      insertWhere(
        write,
        'operations',
        fromOperation(operation),
        sql<SqlBool>`not ${taken} and ${room}`,
      ),
      insertWhere(write, 'applications', values, operationExists(operation.id)),
    ])
    const made = inserted?.rows[0]
    if (made !== undefined)
      return toApplication(made as unknown as Selectable<Tables['applications']>)
    return why?.rows[0]?.['taken'] === 1 ? 'duplicate' : 'limit'
  },
  async updateApplication(
    id,
    { environment, shared_paths, start_command, source_push, ...change },
  ) {
    const set: Partial<Selectable<Tables['applications']>> = {
      ...change,
      ...(environment === undefined ? {} : { environment: JSON.stringify(environment) }),
      ...(shared_paths === undefined ? {} : { shared_paths: JSON.stringify(shared_paths) }),
      ...(source_push === undefined ? {} : { source_push: source_push ? 1 : 0 }),
      ...(start_command === undefined ? {} : { start_command: start_command ?? '' }),
    }
    if (Object.keys(set).length === 0) return
    await runBatch([write.updateTable('applications').set(set).where('id', '=', id).compile()])
  },
  async deleteApplication(id) {
    await runBatch([
      write
        .updateTable('domains')
        .set({ application_id: null, application_paths: null })
        .where('application_id', '=', id)
        .compile(),
      write.deleteFrom('ssh_keys').where('application_id', '=', id).compile(),
      write.deleteFrom('applications').where('id', '=', id).compile(),
    ])
  },

  async insertDeployment(row, keep) {
    const values = {
      id: row.id,
      application_id: row.application_id,
      source: row.source,
      commit: row.commit,
      release: row.release,
      state: row.state,
      who: row.who,
      created_at: row.created_at,
      started_at: row.started_at,
      ended_at: row.ended_at,
      problem: row.problem,
      output: row.output,
      instance: row.instance,
    }
    const there = sql<SqlBool>`exists (select 1 from applications where id = ${row.application_id})`
    const [made] = await runBatch([
      insertWhere(write, 'deployments', values, there),
      sql`delete from deployments where application_id = ${row.application_id}
        and ended_at is not null and id not in (select id from deployments
          where application_id = ${row.application_id} and ended_at is not null
          order by created_at desc, ${ROWID} desc limit ${keep})
        and id not in (select id from deployments
          where application_id = ${row.application_id} and state = 'live'
          order by created_at desc, ${ROWID} desc limit 1)`.compile(write),
    ])
    return made?.rows[0] !== undefined
  },
  async deployment(id) {
    const row = await db
      .selectFrom('deployments')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row ?? null
  },
  async updateDeployment(id, change) {
    await runBatch([
      write
        .updateTable('deployments')
        .set(change)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .compile(),
    ])
  },
  async putApplicationHook(row) {
    const there = sql<SqlBool>`exists (select 1 from applications where id = ${row.application_id})`
    const { application_id, id, secret, created_at } = row
    await runBatch([
      write.deleteFrom('application_hooks').where('application_id', '=', application_id).compile(),
      insertWhere(write, 'application_hooks', { application_id, id, secret, created_at }, there),
    ])
  },
  async applicationHook(id) {
    const row = await db
      .selectFrom('application_hooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row ?? null
  },
  async deleteApplicationHook(applicationId) {
    await runBatch([
      write.deleteFrom('application_hooks').where('application_id', '=', applicationId).compile(),
    ])
  },
  openDeployments: () =>
    db
      .selectFrom('deployments')
      .selectAll()
      .where('ended_at', 'is', null)
      .orderBy('created_at')
      .orderBy(ROWID)
      .execute(),
  listDeployments: (applicationId) =>
    db
      .selectFrom('deployments')
      .selectAll()
      .where('application_id', '=', applicationId)
      .orderBy('created_at', 'desc')
      .orderBy(ROWID, 'desc')
      .execute(),
})
