import { prefixedDatabaseName } from '../../domain/databases/database-name.ts'
import type { EngineInfo, SlowQuery } from '../../ports/host/databases.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { DatabaseEngine, DatabaseRow } from '../../ports/store/records.ts'
import { findDatabase } from './find-database.ts'
import type { EngineName } from './find-database.ts'
import { insertDatabase } from './insert-database.ts'
import { DATABASE_CREATE, DATABASE_DELETE } from './operations.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount, requireAccount, requireSettledAccount } from '../records/lookup.ts'
import { pageOf } from '../records/page-of.ts'
import type { ServiceDeps } from '../service-deps.ts'

export { findDatabase, insertDatabase }
export { undoCreation as undoDatabase } from './operations.ts'
export type { EngineName }
export type { DatabaseAddresses } from './database-addresses.ts'
export type { DatabaseUsers } from './database-users.ts'

/** A database as the API lists it; sizes are null when its server does not answer. */
export interface DatabaseView {
  engine: DatabaseEngine
  database: string
  user: string
  host: string
  size_bytes: number | null
  tables: number | null
  created_at: string
}

/** A database in the list of all accounts; its size as it was noted last, once a day. */
export interface ListedDatabaseView extends Omit<DatabaseView, 'tables'> {
  account_id: number
  username: string
}

/** What a database is made of; both names get the account's prefix. */
export interface NewDatabase {
  accountId: number
  /** Without prefix. */
  dbName: string
  /** Without prefix. Default: `dbName`. */
  dbUser?: string | undefined
  dbPassword: string
  engine: EngineName
  /** Whether an administrator asks, who may exceed the plan. */
  byAdministrator: boolean
}

/**
 * Databases of accounts, each with a user of its own. 404 for an account or a database that
 * is not there.
 */
export interface Databases {
  /** Installed servers, running or not. */
  engines(): Promise<EngineInfo[]>
  /** Sizes are null where a server does not answer; then too it is no error. */
  list(accountId: number, query: ListQuery): Promise<Page<DatabaseView>>
  /** Those of all accounts, or of a reseller's; no server is asked. */
  listAll(query: ListQuery): Promise<Page<ListedDatabaseView>>
  /** 503 when the engine is not installed, 409 when the name is taken, 403 at the plan's limit unless an administrator asks. */
  create(input: NewDatabase): Promise<Pick<DatabaseView, 'engine' | 'database' | 'user' | 'host'>>
  /** `name` is short or full; `engine` is needed (409) when two engines have it. 409 while the account is suspended. */
  setPassword(
    accountId: number,
    name: string,
    engine: EngineName | null,
    password: string,
  ): Promise<Pick<DatabaseView, 'engine' | 'database' | 'user' | 'host'>>
  /** Slow statements of a database since the host was started, those that took longest in sum first. */
  slowQueries(accountId: number, name: string, engine: EngineName | null): Promise<SlowQuery[]>
  /** As above. */
  find(
    accountId: number,
    name: string,
    engine: EngineName | null,
  ): Promise<Pick<DatabaseView, 'engine' | 'database' | 'user' | 'host'>>
  /** As above. */
  remove(accountId: number, name: string, engine: EngineName | null): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & { journal: Journal }

/** An account has some hundreds at most, and their sizes are the servers' to tell: so a page is cut here. */
const LISTED = {
  searched: ({ database, user }: DatabaseView) => [database, user],
  sortable: {
    database: ({ database }: DatabaseView) => database,
    user: ({ user }: DatabaseView) => user,
    engine: ({ engine }: DatabaseView) => engine,
    size_bytes: ({ size_bytes }: DatabaseView) => size_bytes,
    tables: ({ tables }: DatabaseView) => tables,
    created_at: ({ created_at }: DatabaseView) => created_at,
  },
}

export const createDatabases = (deps: Deps): Databases => {
  const { store, host, clock, log, journal } = deps

  const sizes = async (username: string) => {
    try {
      return await host.databases.facts({ username })
    } catch (error) {
      // The records are ours; a stopped server must not hide them.
      log.warn('database sizes unknown', { username, error: String(error) })
      return []
    }
  }

  const find = (accountId: number, username: string, name: string, engine: EngineName | null) =>
    findDatabase(store, { id: accountId, username }, name, engine)

  const operationData = (row: Omit<DatabaseRow, 'id' | 'created_at' | 'host'>) => ({
    account_id: row.account_id,
    engine: row.engine,
    database: row.database_name,
    user: row.database_user,
  })

  return {
    engines: () => host.local.databases.engines(),
    async list(accountId, query) {
      const { username } = await requireAccount(store, accountId)
      const [rows, facts] = await Promise.all([store.listDatabases(accountId), sizes(username)])
      const known = new Map(facts.map((fact) => [`${fact.engine}:${fact.database}`, fact]))
      const { engine: asked } = query.filters ?? {}
      const views = rows.map((row) => {
        const fact = known.get(`${row.engine}:${row.database_name}`)
        return {
          engine: row.engine,
          database: row.database_name,
          user: row.database_user,
          host: row.host,
          size_bytes: fact?.size_bytes ?? null,
          tables: fact?.tables ?? null,
          created_at: row.created_at,
        }
      })
      const wanted = views.filter(({ engine }) => asked === undefined || engine === asked)
      return pageOf(wanted, query, LISTED)
    },
    async listAll(query) {
      const { rows, total } = await store.listAllDatabases(query)
      const views = rows.map((row) => ({
        account_id: row.account_id,
        username: row.username,
        engine: row.engine,
        database: row.database_name,
        user: row.database_user,
        host: row.host,
        size_bytes: row.size_bytes,
        created_at: row.created_at,
      }))
      return { rows: views, total }
    },
    async create(input) {
      const { username } = await requireSettledAccount(store, input.accountId)
      const database = prefixedDatabaseName(username, input.dbName, 'db_name')
      const user = prefixedDatabaseName(username, input.dbUser ?? input.dbName, 'db_user')
      return journal.exclusively(username, async () => {
        const account = await requireActiveAccount(store, input.accountId)
        const { byAdministrator } = input
        const { row, operation } = await insertDatabase(
          { store, host, clock },
          { account, engine: input.engine, database, user, byAdministrator },
          (row) => journal.newOperation(DATABASE_CREATE, username, operationData(row)),
        )
        const { engine } = row
        await journal.create(operation, [
          {
            name: 'database',
            async run() {
              await host.databases.create({
                operationId: operation.id,
                username,
                engine,
                database,
                user,
                password: input.dbPassword,
              })
            },
          },
        ])
        return { engine, database, user, host: row.host }
      })
    },
    async slowQueries(accountId, name, engine) {
      const { username } = await requireAccount(store, accountId)
      const row = await find(accountId, username, name, engine)
      const own = (await host.databases.slowQueries({ username })).filter(
        (one) => one.engine === row.engine && one.database === row.database_name,
      )
      return own.sort((a, b) => b.total_ms - a.total_ms)
    },
    async find(accountId, name, engine) {
      const { username } = await requireAccount(store, accountId)
      const row = await find(accountId, username, name, engine)
      const { database_name: database, database_user: user } = row
      return { engine: row.engine, database, user, host: row.host }
    },
    async setPassword(accountId, name, engine, password) {
      const { username } = await requireSettledAccount(store, accountId)
      return journal.exclusively(username, async () => {
        const row = await find(accountId, username, name, engine)
        await requireActiveAccount(store, accountId)
        await host.databases.setPassword({
          // One step, and done or not done: nothing to settle, and the journal holds no password.
          operationId: crypto.randomUUID(),
          username,
          engine: row.engine,
          database: row.database_name,
          user: row.database_user,
          password,
        })
        const { database_name: database, database_user: user } = row
        return { engine: row.engine, database, user, host: row.host }
      })
    },
    async remove(accountId, name, engine) {
      const { username } = await requireSettledAccount(store, accountId)
      await journal.exclusively(username, async () => {
        const row = await find(accountId, username, name, engine)
        const operation = journal.newOperation(DATABASE_DELETE, username, operationData(row))
        await store.openOperation(operation)
        await journal.finish(operation)
      })
    },
  }
}
