import { prefixedDatabaseName } from '../../domain/databases/database-name.ts'
import { planLimitReached } from '../../domain/accounts/plan.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid } from '../../errors.ts'
import type { DatabaseGrant, DatabaseRights } from '../../ports/host/databases/database-users.ts'
import type { DatabaseUserRow } from '../../ports/store/databases/database-users-store.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { DatabaseEngine, DatabaseRow } from '../../ports/store/records.ts'
import type { Journal } from '../journal/journal.ts'
import {
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'
import { pageOf } from '../records/page-of.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { databaseUserView, LISTED_USERS } from './database-user-view.ts'
import type { DatabaseUserView } from './database-user-view.ts'
import { findDatabaseUser } from './find-database-user.ts'
import { findDatabase } from './find-database.ts'
import type { EngineName } from './find-database.ts'
import { DATABASE_USER } from './user-operations.ts'

/** What a further user is made of. */
export interface NewDatabaseUser {
  accountId: number
  /** Without prefix. */
  name: string
  password: string
  engine: EngineName
  /** Databases by short or full name; one at least. */
  databases: readonly DatabaseGrant[]
  /** Whether an administrator asks, who may exceed the plan. */
  byAdministrator: boolean
}

/** What can be changed of a further user; what is absent stays. */
export interface DatabaseUserChange {
  /** New name, without prefix. */
  name?: string | undefined
  password?: string | undefined
  databases?: readonly DatabaseGrant[] | undefined
}

/**
 * Users of databases beside the one that each was made with. 404 for an account, user or
 * database that is not there, 409 while the account is not active or where the name is taken.
 */
export interface DatabaseUsers {
  list(accountId: number, query: ListQuery): Promise<Page<DatabaseUserView>>
  /** 403 at the plan's limit unless an administrator asks, 503 where the engine is not there. */
  create(input: NewDatabaseUser): Promise<DatabaseUserView>
  /** `user` is a short or full name; `engine` is needed (409) where two engines have it. */
  change(
    accountId: number,
    user: string,
    engine: EngineName | null,
    change: DatabaseUserChange,
  ): Promise<DatabaseUserView>
  remove(accountId: number, user: string, engine: EngineName | null): Promise<void>
  /** Renames the user that a database was made with; `name` without prefix. */
  renameOwner(
    accountId: number,
    database: string,
    engine: EngineName | null,
    name: string,
  ): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock'> & { journal: Journal }

export const createDatabaseUsers = ({ store, host, clock, journal }: Deps): DatabaseUsers => {
  /** Databases as they are asked for, of one engine. */
  const asked = async (
    account: { id: number; username: string },
    wanted: readonly DatabaseGrant[],
    engine: EngineName,
  ): Promise<{ row: DatabaseRow; rights: DatabaseRights }[]> => {
    const found: { row: DatabaseRow; rights: DatabaseRights }[] = []
    for (const { database, rights } of wanted) {
      const row = await findDatabase(store, account, database, engine)
      if (found.some((one) => one.row.id === row.id))
        throw invalid('databases', `databases names ${row.database_name} twice.`)
      found.push({ row, rights })
    }
    return found
  }
  const named = (found: readonly { row: DatabaseRow; rights: DatabaseRights }[]): DatabaseGrant[] =>
    found.map(({ row, rights }) => ({ database: row.database_name, rights }))
  const byId = (found: readonly { row: DatabaseRow; rights: DatabaseRights }[]) =>
    found.map(({ row, rights }) => ({ database_id: row.id, rights }))
  const view = async (accountId: number, username: string, user: string, engine: EngineName) =>
    databaseUserView(
      await findDatabaseUser(store, { id: accountId, username }, user, engine),
      await store.listDatabases(accountId),
    )

  const setGrants = async (
    account: { id: number; username: string },
    row: DatabaseUserRow,
    wanted: readonly DatabaseGrant[],
  ): Promise<void> => {
    const found = await asked(account, wanted, row.engine)
    const { databases: before } = databaseUserView(row, await store.listDatabases(account.id))
    const names = { username: account.username, engine: row.engine, user: row.name }
    const operation = journal.newOperation(DATABASE_USER.grants, account.username, {
      account_id: account.id,
      engine: row.engine,
      name: row.name,
      before,
    })
    await store.openOperation(operation)
    await journal.create(operation, [
      {
        name: 'rights',
        run: () =>
          host.databaseUsers.setGrants({
            ...names,
            operationId: operation.id,
            grants: named(found),
          }),
      },
      { name: 'row', run: () => store.setDatabaseGrants(row.id, byId(found)) },
    ])
  }

  /** Of either kind: `write` puts the new name into the records. */
  const rename = async (
    username: string,
    names: { account_id: number; engine: DatabaseEngine; from: string; to: string },
    write: () => Promise<void>,
  ): Promise<void> => {
    const { account_id, engine, from, to } = names
    if (from === to) return
    const taken =
      (await store.listDatabaseUsers(account_id)).some(
        (row) => row.engine === engine && row.name === to,
      ) ||
      (await store.listDatabases(account_id)).some(
        (row) => row.engine === engine && row.database_user === to,
      )
    if (taken) throw conflict(`Database user ${to} exists already. Choose another name.`, 'name')
    const operation = journal.newOperation(DATABASE_USER.rename, username, names)
    await store.openOperation(operation)
    await journal.create(operation, [
      {
        name: 'user',
        run: () =>
          host.databaseUsers.rename({
            operationId: operation.id,
            username,
            engine,
            user: from,
            to,
          }),
      },
      { name: 'row', run: write },
    ])
  }

  return {
    async list(accountId, query) {
      await requireAccount(store, accountId)
      const [rows, databases] = await Promise.all([
        store.listDatabaseUsers(accountId),
        store.listDatabases(accountId),
      ])
      const { engine, database } = query.filters ?? {}
      const wanted = rows
        .map((row) => databaseUserView(row, databases))
        .filter((one) => engine === undefined || one.engine === engine)
        .filter(
          (one) => database === undefined || one.databases.some((has) => has.database === database),
        )
      return pageOf(wanted, query, LISTED_USERS)
    },
    async create(input) {
      const { accountId, engine: asEngine } = input
      const { username } = await requireSettledAccount(store, accountId)
      const name = prefixedDatabaseName(username, input.name, 'name')
      return journal.exclusively(username, async () => {
        const account = await requireActiveAccount(store, accountId)
        const found = await asked(account, input.databases, asEngine)
        const [first] = found
        if (first === undefined)
          throw invalid('databases', 'databases: choose one at least that the user may use.')
        const { engine } = first.row
        const { database_users_limit: most } = await planOf(store, account)
        const row = {
          account_id: accountId,
          engine,
          name,
          created_at: timestamp(clock.nowMs()),
          grants: byId(found),
        }
        const operation = journal.newOperation(DATABASE_USER.create, username, {
          ...{ account_id: accountId, engine, name },
        })
        const limit = input.byAdministrator ? null : most
        const inserted = await store.insertDatabaseUser(row, operation, limit)
        if (inserted === 'limit') {
          const { database_users: used } = await store.accountUsage(accountId)
          throw planLimitReached(account, 'database users', used, most)
        }
        if (inserted === 'duplicate')
          throw conflict(`Database user ${name} exists already. Choose another name.`, 'name')
        await journal.create(operation, [
          {
            name: 'user',
            async run() {
              await host.databaseUsers.create({
                ...{ operationId: operation.id, username, engine, user: name },
                password: input.password,
                grants: named(found),
              })
            },
          },
        ])
        return view(accountId, username, name, engine)
      })
    },
    async change(accountId, user, engine, change) {
      const { username } = await requireSettledAccount(store, accountId)
      const to =
        change.name === undefined ? undefined : prefixedDatabaseName(username, change.name, 'name')
      return journal.exclusively(username, async () => {
        const account = await requireActiveAccount(store, accountId)
        const row = await findDatabaseUser(store, account, user, engine)
        if (change.databases !== undefined) await setGrants(account, row, change.databases)
        if (change.password !== undefined)
          await host.databaseUsers.setPassword({
            // One step, and done or not done: nothing to settle, and the journal holds no password.
            operationId: crypto.randomUUID(),
            ...{ username, engine: row.engine, user: row.name },
            password: change.password,
          })
        if (to !== undefined)
          await rename(
            username,
            { account_id: accountId, engine: row.engine, from: row.name, to },
            () => store.renameDatabaseUser(row.id, to),
          )
        return view(accountId, username, to ?? row.name, row.engine)
      })
    },
    async remove(accountId, user, engine) {
      const { username } = await requireSettledAccount(store, accountId)
      await journal.exclusively(username, async () => {
        const row = await findDatabaseUser(store, { id: accountId, username }, user, engine)
        const operation = journal.newOperation(DATABASE_USER.remove, username, {
          ...{ account_id: accountId, engine: row.engine, name: row.name },
        })
        await store.openOperation(operation)
        await journal.finish(operation)
      })
    },
    async renameOwner(accountId, database, engine, name) {
      const { username } = await requireSettledAccount(store, accountId)
      const to = prefixedDatabaseName(username, name, 'db_user')
      await journal.exclusively(username, async () => {
        const account = await requireActiveAccount(store, accountId)
        const row = await findDatabase(store, account, database, engine)
        const from = row.database_user
        await rename(username, { account_id: accountId, engine: row.engine, from, to }, () =>
          store.renameDatabaseOwner(row.id, to),
        )
      })
    },
  }
}
