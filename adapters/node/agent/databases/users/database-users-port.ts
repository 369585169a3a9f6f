import { conflict, invalid, notFound } from '#handlers/errors.ts'
import type {
  DatabaseGrant,
  DatabaseUsersPort,
} from '#handlers/ports/host/databases/database-users.ts'
import type {
  AccountLock,
  RegisteredDatabaseUser,
  RegisteredOperation,
  Registry,
} from '../../registry/types.ts'
import { runOperation } from '../../run-operation.ts'
import { checkDatabaseNames, requirePrefixed } from '../database-names.ts'
import { NAMES_WERE_FREE } from '../recorded-database.ts'
import type { Engine } from '../engine.ts'
import { dropUser } from './leave-database.ts'
import { renameUser, requireRenamable } from './rename-user.ts'
import { servedGrants } from './served-grants.ts'

/** What the databases' port and this one have in common. */
export interface SharedWork {
  registry: Registry
  /** In turn with all that changes the databases of the account. */
  lock: AccountLock
  /** 503 where there is none of the kind. */
  engineOf: (name: RegisteredDatabaseUser['engine']) => Engine
  /** 404 unless the account is there, 409 while it is suspended. */
  requireOpenAccount: (username: string) => void
  /** Divides the connections among the account's users. */
  share: (engine: Engine, username: string) => Promise<void>
  closeSessions: (username: string) => Promise<void>
  /** Has users come from other machines as the records say. */
  letIn: (engine: Engine, username: string) => Promise<void>
}

export interface DatabaseUsersService extends DatabaseUsersPort {
  /** Undoes what a crash left half done. */
  settle(): Promise<void>
}

const requireLongPassword = (password: string): void => {
  if (password.length < 8) throw invalid('password', 'password needs 8 characters or more.')
}

/** Further users of databases; see `DatabaseUsersPort` for what each call promises. */
export const createDatabaseUsersPort = (work: SharedWork): DatabaseUsersService => {
  const { registry, lock, engineOf, requireOpenAccount } = work

  const checkGrants = (username: string, engine: Engine, grants: readonly DatabaseGrant[]) => {
    if (grants.length === 0)
      throw invalid('databases', 'databases: choose one at least that the user may use.')
    const seen = new Set<string>()
    for (const { database } of grants) {
      requirePrefixed(username, database, 'databases')
      if (seen.has(database)) throw invalid('databases', `databases names ${database} twice.`)
      seen.add(database)
      if (registry.database(engine.name, database)?.username !== username)
        throw notFound(`Account ${username} has no database ${database}.`)
    }
  }
  const requireUser = (username: string, engine: Engine, user: string): RegisteredDatabaseUser => {
    const row = registry.databaseUser(engine.name, user)
    if (row?.username === username) return row
    throw notFound(`Account ${username} has no further database user ${user}.`)
  }
  const served = (engine: Engine, grants: readonly DatabaseGrant[]) =>
    servedGrants(registry, engine.name, grants)
  const keyOf = (id: string, kind: string, engine: Engine, user: string) => ({
    id,
    kind: `database-users.${kind}`,
    subject: `${engine.name}:${user}`,
  })

  /** Makes the rights what the records say, in all databases of the account: in which of them something was begun is not known. */
  const giveRecorded = async (username: string, engine: Engine, user: string): Promise<void> => {
    const row = registry.databaseUser(engine.name, user)
    if (row?.username !== username) return
    const everywhere = registry
      .databasesOf(username)
      .filter((one) => one.engine === engine.name)
      .map(({ database, user: owner }) => ({ database, owner, rights: 'all' as const }))
    await engine.whenReady()
    await engine.users.setGrants(user, served(engine, row.grants), everywhere)
    await work.letIn(engine, username)
  }

  /** What a crash broke off is undone: nobody repeats it under its id. */
  const settleOne = async ({ id, kind, subject, steps, data }: RegisteredOperation) => {
    const [name = '', user = ''] = subject.split(':')
    const engine = engineOf(name as RegisteredDatabaseUser['engine'])
    const username = String(data['username'])
    if (kind === 'database-users.set-grants') await giveRecorded(username, engine, user)
    if (steps.includes(NAMES_WERE_FREE)) {
      await engine.whenReady()
      if (kind === 'database-users.create') await dropUser(registry, engine, user)
      else if (kind === 'database-users.rename')
        await renameUser(registry, engine, { username, from: String(data['to']), to: user })
    }
    registry.closeOperation({ id, kind, subject }, 'undone')
  }

  return {
    async settle() {
      for (const operation of registry.openOperations('database-users.'))
        await lock(String(operation.data['username']), async () => {
          if (registry.operation(operation)?.state === 'open') await settleOne(operation)
        })
    },

    async create({ operationId, username, engine: name, user, password, grants }) {
      checkDatabaseNames({ username, database: user, user })
      requireLongPassword(password)
      const engine = engineOf(name)
      return lock(username, async () => {
        const key = keyOf(operationId, 'create', engine, user)
        const isOurs = (): boolean =>
          registry.operation(key)?.steps.includes(NAMES_WERE_FREE) === true
        requireOpenAccount(username)
        checkGrants(username, engine, grants)
        await engine.whenReady()
        const made = await runOperation(
          registry,
          key,
          { username },
          async (step) => {
            if (!isOurs()) {
              if (registry.databaseUser(engine.name, user) || (await engine.users.exists(user)))
                throw conflict(`Database user ${user} exists already. Choose another name.`, 'name')
              step(NAMES_WERE_FREE)
            }
            requireOpenAccount(username)
            registry.putDatabaseUser({ engine: engine.name, user, username, locked: false, grants })
            await engine.users.create(user, password)
            await engine.users.setGrants(user, served(engine, grants), [])
            return { host: engine.host }
          },
          async () => {
            if (isOurs()) await dropUser(registry, engine, user)
          },
        )
        await work.share(engine, username)
        await work.letIn(engine, username)
        return made
      })
    },

    async setGrants({ operationId, username, engine: name, user, grants }) {
      checkDatabaseNames({ username, database: user, user })
      const engine = engineOf(name)
      await lock(username, async () => {
        requireOpenAccount(username)
        const key = keyOf(operationId, 'set-grants', engine, user)
        let begun = false
        await runOperation(
          registry,
          key,
          { username },
          async () => {
            const row = requireUser(username, engine, user)
            checkGrants(username, engine, grants)
            await engine.whenReady()
            begun = true
            await engine.users.setGrants(user, served(engine, grants), served(engine, row.grants))
            registry.putDatabaseUser({ ...row, grants })
            await work.letIn(engine, username)
          },
          async () => {
            if (begun) await giveRecorded(username, engine, user)
          },
        )
      })
    },

    async setPassword({ operationId, username, engine: name, user, password }) {
      checkDatabaseNames({ username, database: user, user })
      requireLongPassword(password)
      const engine = engineOf(name)
      await lock(username, async () => {
        requireOpenAccount(username)
        const key = keyOf(operationId, 'set-password', engine, user)
        await runOperation(registry, key, { username }, async () => {
          requireUser(username, engine, user)
          await engine.whenReady()
          await engine.setPassword(user, password)
        })
      })
    },

    async rename({ operationId, username, engine: name, user, to }) {
      checkDatabaseNames({ username, database: user, user })
      requirePrefixed(username, to, 'name')
      const engine = engineOf(name)
      await lock(username, async () => {
        requireOpenAccount(username)
        await engine.whenReady()
        const key = keyOf(operationId, 'rename', engine, user)
        const names = { username, from: user, to }
        const isOurs = (): boolean =>
          registry.operation(key)?.steps.includes(NAMES_WERE_FREE) === true
        await runOperation(
          registry,
          key,
          { username, to },
          async (step) => {
            if (!isOurs()) {
              await requireRenamable(registry, engine, names)
              step(NAMES_WERE_FREE)
            }
            await work.closeSessions(username)
            await renameUser(registry, engine, names)
            await work.letIn(engine, username)
          },
          async () => {
            if (!isOurs()) return
            await renameUser(registry, engine, { username, from: to, to: user })
            await work.letIn(engine, username)
          },
        )
      })
    },

    async remove({ operationId, username, engine: name, user }) {
      checkDatabaseNames({ username, database: user, user })
      const engine = engineOf(name)
      await lock(username, async () => {
        const key = keyOf(operationId, 'remove', engine, user)
        await runOperation(registry, key, { username }, async () => {
          // Only what this installation made: any other user of that name is left alone.
          if (registry.databaseUser(engine.name, user)?.username !== username) return
          await engine.whenReady()
          await dropUser(registry, engine, user)
          await work.letIn(engine, username)
        })
        await work.share(engine, username)
      })
    },
  }
}
