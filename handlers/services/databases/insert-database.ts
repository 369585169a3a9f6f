import { planLimitReached } from '../../domain/accounts/plan.ts'
import { resellerLimitReached } from '../../domain/accounts/reseller-limits.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, unavailable } from '../../errors.ts'
import type { EngineInfo } from '../../ports/host/databases.ts'
import type { AccountRow, DatabaseRow, OperationRow } from '../../ports/store/records.ts'
import { planOf } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { isPostgres, sameFamily, type EngineName } from './find-database.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock'>
/** A database's record before it is in the store. */
export type NewDatabaseRow = Omit<DatabaseRow, 'id'>

const installed = async (
  { host }: Deps,
  { host_id }: AccountRow,
  asked: EngineName,
): Promise<EngineInfo> => {
  const engine = (await host.of(host_id).databases.engines()).find((one) =>
    sameFamily(one.engine, asked),
  )
  const name = isPostgres(asked) ? 'PostgreSQL' : 'MariaDB'
  if (engine === undefined) {
    throw unavailable(`${name} is not installed on this server. Install it, then try again.`)
  }
  if (!engine.running) throw unavailable(`${name} is installed but not running. Start it first.`)
  return engine
}

/**
 * Puts a database into the records, with the operation that is to make it. Names have the
 * account's prefix. 503 when the engine is not there, 403 at the plan's limit unless an
 * administrator asks, 409 when a name is taken.
 */
export const insertDatabase = async (
  deps: Deps,
  wanted: {
    account: AccountRow
    engine: EngineName
    database: string
    user: string
    byAdministrator: boolean
  },
  operationOf: (row: NewDatabaseRow) => OperationRow,
): Promise<{ row: NewDatabaseRow; operation: OperationRow }> => {
  const { store, clock } = deps
  const { account, database, user, byAdministrator } = wanted
  const { databases_limit } = await planOf(store, account)
  const limit = byAdministrator ? null : databases_limit
  const { databases: used } = await store.accountUsage(account.id)
  // Before a server that is not needed is started; the store decides for good when it inserts.
  if (limit !== null && used >= limit) throw planLimitReached(account, 'databases', used, limit)
  const { engine, host: address } = await installed(deps, account, wanted.engine)
  const row = {
    account_id: account.id,
    engine,
    database_name: database,
    database_user: user,
    host: address,
    created_at: timestamp(clock.nowMs()),
  }
  const operation = operationOf(row)
  const inserted = await store.insertDatabase(row, operation, limit)
  if (inserted === 'limit')
    throw planLimitReached(account, 'databases', databases_limit, databases_limit)
  if (inserted === 'reseller-limit') throw resellerLimitReached('databases')
  if (inserted === 'duplicate')
    throw conflict(`Database ${database} or its user ${user} exists already.`, 'db_name')
  return { row, operation }
}
