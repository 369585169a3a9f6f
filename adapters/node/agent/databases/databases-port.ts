import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { DatabaseRemotePort } from '#handlers/ports/host/databases/database-remote.ts'
import type { DatabaseUsersPort } from '#handlers/ports/host/databases/database-users.ts'
import type { DatabasesPort, EngineInfo } from '#handlers/ports/host/databases.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { AccountLock, OperationKey, RegisteredDatabase, Registry } from '../registry/types.ts'
import { createRecorded, dropRecorded, NAMES_WERE_FREE } from './recorded-database.ts'
import { checkDatabaseNames } from './database-names.ts'
import type { Engine } from './engine.ts'
import { createRemotePort } from './remote/remote-port.ts'
import type { RemoteAccess } from './remote/remote-port.ts'
import { createSlowQueries } from './slow/slow-queries.ts'
import { createDatabaseUsersPort } from './users/database-users-port.ts'
import { leaveDatabase } from './users/leave-database.ts'

export interface DatabasesPortDeps {
  registry: Registry
  lock: AccountLock
  /** Engines of this host; see `composeEngines`. */
  engines: readonly Engine[]
  /** Ends what somebody has open in the web tool. Default: nothing is. */
  closeSessions?: (username: string) => Promise<void>
  /** How other machines reach the databases. Default: not at all. */
  access?: RemoteAccess | null
  log: Log
}

export interface DatabasesService extends DatabasesPort {
  users: DatabaseUsersPort
  remote: DatabaseRemotePort
  /** Begins to start our servers and settles what a crash left open; returns at once. */
  start(): void
  /** Stops our servers. */
  stop(): Promise<void>
}

/** `mysql` is served by whichever of the two is there. */
const canonical = (engine: DatabaseEngine): DatabaseEngine =>
  engine === 'mysql' ? 'mariadb' : engine

const subjectOf = (engine: Engine, database: string): string => `${engine.name}:${database}`

const requireLongPassword = (password: string): void => {
  if (password.length < 8) throw invalid('db_password', 'db_password needs 8 characters or more.')
}

export const createDatabasesPort = (deps: DatabasesPortDeps): DatabasesService => {
  const { registry, log } = deps
  let settling: Promise<void> = Promise.resolve()

  /**
   * Of its own: removing an account removes its databases from inside the
   * account's lock. Instead, `requireOpenAccount` stands next to each record.
   */
  const lock: AccountLock = (username, work) => deps.lock(`databases of ${username}`, work)
  const engineOf = (name: DatabaseEngine): Engine => {
    const engine = deps.engines.find((candidate) => candidate.name === canonical(name))
    if (engine) return engine
    throw unavailable(
      `There is no ${name} server on this host. Available: ${
        deps.engines.map((known) => known.name).join(', ') || 'none'
      }.`,
    )
  }

  const requireOpenAccount = (username: string): void => {
    const account = registry.account(username)
    if (!account) throw notFound(`No account named ${username}.`)
    if (account.suspended)
      throw conflict(`Account ${username} is suspended; unsuspend it to change its databases.`)
  }

  /** What fails here is put right by the next change. */
  const share = async (engine: Engine, username: string): Promise<void> => {
    const users = [...registry.databasesOf(username), ...registry.databaseUsersOf(username)]
      .filter((row) => row.engine === engine.name)
      .map(({ user }) => user)
    await engine.shareConnections(users).catch((error: unknown) => {
      log.warn('Connections were not shared out anew', { username, error: String(error) })
    })
  }

  /** Whether the account has something in an engine. */
  const served = (engine: Engine, username: string): boolean =>
    [...registry.databasesOf(username), ...registry.databaseUsersOf(username)].some(
      (row) => row.engine === engine.name,
    )

  const drop = async (row: RegisteredDatabase): Promise<void> => {
    const engine = engineOf(row.engine)
    await engine.whenReady()
    await leaveDatabase(registry, engine, row)
    await dropRecorded(registry, engine, row)
  }

  const remote = createRemotePort({
    ...{ registry, lock, engines: deps.engines, log },
    access: deps.access ?? null,
  })
  const users = createDatabaseUsersPort({
    ...{ registry, lock, engineOf, requireOpenAccount, share, letIn: remote.sync },
    closeSessions: async (username) => deps.closeSessions?.(username),
  })

  /** A change that can simply be repeated: it stays open until one run succeeds. */
  const repeatable = async (key: OperationKey, work: () => Promise<void>): Promise<void> => {
    if (registry.openOperation(key, {}).state === 'done') return
    await work()
    registry.closeOperation(key, 'done')
  }

  /** Creations that nobody will repeat are undone, removals finished. */
  const settle = async (): Promise<void> => {
    for (const { id, kind, subject, steps, data } of registry.openOperations('databases.')) {
      const [name = '', database = ''] = subject.split(':')
      const row = registry.database(name as DatabaseEngine, database)
      const key = { id, kind, subject }
      if (kind === 'databases.create')
        await lock(String(data['username']), async () => {
          if (registry.operation(key)?.state !== 'open') return
          if (row && steps.includes(NAMES_WERE_FREE)) await drop(row)
          registry.closeOperation(key, 'undone')
        })
      else if (kind === 'databases.remove' && row)
        await lock(row.username, () => repeatable(key, () => drop(row)))
    }
  }

  const slow = createSlowQueries({ registry, engines: deps.engines })

  return {
    users,
    remote,

    async engines(): Promise<EngineInfo[]> {
      const infos = await Promise.all(
        deps.engines.map(async (engine) => ({
          engine: engine.name,
          host: engine.host,
          info: await engine.info(),
        })),
      )
      return infos.flatMap(({ engine, host, info }) => (info ? [{ engine, host, ...info }] : []))
    },

    async create({ operationId, username, engine: name, database, user, password }) {
      checkDatabaseNames({ username, database, user })
      requireLongPassword(password)
      const engine = engineOf(name)
      return lock(username, async () => {
        requireOpenAccount(username)
        await engine.whenReady()
        const key = {
          id: operationId,
          kind: 'databases.create',
          subject: subjectOf(engine, database),
        }
        const row = { engine: engine.name, database, user, username, locked: false }
        const made = await createRecorded({
          registry,
          engine,
          key,
          row,
          password,
          requireOpenAccount,
        })
        await share(engine, username)
        await remote.sync(engine, username)
        return made
      })
    },

    async remove({ operationId, username, engine: name, database, user }) {
      checkDatabaseNames({ username, database, user })
      const engine = engineOf(name)
      const key = {
        id: operationId,
        kind: 'databases.remove',
        subject: subjectOf(engine, database),
      }
      await lock(username, () =>
        repeatable(key, async () => {
          // Only what this installation made: any other database of that name is left alone.
          const row = registry.database(engine.name, database)
          if (row?.username !== username) return
          await deps.closeSessions?.(username)
          await drop(row)
          await share(engine, username)
          await remote.sync(engine, username)
        }),
      )
    },

    async setPassword({ operationId, username, engine: name, database, user, password }) {
      checkDatabaseNames({ username, database, user })
      requireLongPassword(password)
      const engine = engineOf(name)
      const key = {
        id: operationId,
        kind: 'databases.set-password',
        subject: subjectOf(engine, database),
      }
      await lock(username, () =>
        repeatable(key, async () => {
          const row = registry.database(engine.name, database)
          if (row?.username !== username || row.user !== user)
            throw notFound(`Account ${username} has no database ${database} with user ${user}.`)
          requireOpenAccount(username)
          await engine.whenReady()
          await engine.setPassword(user, password)
        }),
      )
    },

    slowQueries: async ({ username }) => slow.of(username),

    async facts({ username }) {
      const rows = registry.databasesOf(username)
      const facts = await Promise.all(
        deps.engines.map(async (engine) => {
          const mine = rows.filter((row) => row.engine === engine.name).map((row) => row.database)
          const sizes = mine.length === 0 ? null : await engine.sizes(mine).catch(() => null)
          return mine.map((database) => ({
            engine: engine.name,
            database,
            size_bytes: sizes?.get(database)?.sizeBytes ?? null,
            tables: sizes?.get(database)?.tables ?? null,
          }))
        }),
      )
      return facts.flat()
    },

    async setLocked({ operationId, username, locked }) {
      const state = locked ? 'locked' : 'open'
      const key = { id: operationId, kind: 'databases.set-locked', subject: `${username}:${state}` }
      await lock(username, () =>
        repeatable(key, async () => {
          for (const row of registry.databasesOf(username)) {
            const engine = engineOf(row.engine)
            await engine.whenReady()
            await engine.setLocked(row.user, locked)
            registry.setDatabaseLocked(row.engine, row.database, locked)
          }
          for (const row of registry.databaseUsersOf(username)) {
            const engine = engineOf(row.engine)
            await engine.whenReady()
            await engine.setLocked(row.user, locked)
            registry.putDatabaseUser({ ...row, locked })
          }
          for (const engine of deps.engines)
            if (served(engine, username)) await remote.sync(engine, username)
          // Only now can nobody open another one.
          if (locked) await deps.closeSessions?.(username)
        }),
      )
    },

    start() {
      for (const engine of deps.engines) engine.start()
      slow.start()
      settling = settle()
        .then(() => users.settle())
        .then(() => remote.start())
        .catch((error: unknown) => {
          log.error('Open database operations could not be settled', { error: String(error) })
        })
    },

    async stop() {
      slow.stop()
      await Promise.all(deps.engines.map((engine) => engine.stop()))
      // Without a server it ends, and the registry may be closed after this.
      await settling
      await remote.stop()
    },
  }
}
