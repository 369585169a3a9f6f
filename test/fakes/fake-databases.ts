import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { DatabaseGrant } from '#handlers/ports/host/databases/database-users.ts'
import type { DatabasesPort, EngineInfo, SlowQuery } from '#handlers/ports/host/databases.ts'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { FakeOperations } from './operations.ts'

export interface FakeDatabase {
  engine: DatabaseEngine
  username: string
  database: string
  user: string
  password: string
  locked: boolean
}

/** A further user that the fake made. */
export interface FakeDatabaseUser {
  engine: DatabaseEngine
  username: string
  user: string
  password: string
  grants: DatabaseGrant[]
  locked: boolean
}

export interface FakeDatabases extends DatabasesPort {
  /** What accounts had run for long, by username; set by a test. */
  slow: Map<string, SlowQuery[]>
  /** By `<engine>:<user>`. */
  users: Map<string, FakeDatabaseUser>
  /** By `<engine>:<database>`, for assertions. */
  made: Map<string, FakeDatabase>
  /** What is installed; may be changed by a test. */
  installed: EngineInfo[]
}

const isPostgres = (engine: DatabaseEngine): boolean => engine === 'postgresql'

/** Only names made of the account's prefix and 1-32 of a-z, 0-9 and `_`. */
const assertOwnName = (username: string, name: string, field: string): void => {
  const short = name.startsWith(`${username}_`) ? name.slice(username.length + 1) : ''
  if (!/^[a-z0-9_]{1,32}$/.test(short) || short.includes('\n')) {
    throw invalid(field, `${field} is not a name of account ${username}.`)
  }
}

/** `hasAccount` says whether the host made an account of that name. */
export const createFakeDatabases = (
  operations: FakeOperations,
  hasAccount: (username: string) => boolean,
): FakeDatabases => {
  const made = new Map<string, FakeDatabase>()
  const users = new Map<string, FakeDatabaseUser>()
  const port: FakeDatabases = {
    made,
    slow: new Map(),
    users,
    installed: [{ engine: 'mariadb', version: '10.11.6', running: true, host: 'localhost' }],
    async engines() {
      return port.installed.map((engine) => ({ ...engine }))
    },
    async create({ operationId, username, engine, database, user, password }) {
      return operations.run(operationId, 'databases.create', `${engine}:${database}`, () => {
        if (!hasAccount(username)) throw notFound(`User ${username} does not exist.`)
        assertOwnName(username, database, 'database')
        assertOwnName(username, user, 'user')
        const installedEngine = port.installed.find(
          (one) => isPostgres(one.engine) === isPostgres(engine),
        )
        if (!installedEngine) throw unavailable(`${engine} is not installed.`)
        const taken =
          [...made.values()].some(
            (one) => one.engine === engine && (one.database === database || one.user === user),
          ) || users.has(`${engine}:${user}`)
        if (taken) throw conflict(`Database ${database} or user ${user} exists already.`)
        made.set(`${engine}:${database}`, {
          engine,
          username,
          database,
          user,
          password,
          locked: false,
        })
        return { host: installedEngine.host }
      })
    },
    async setPassword({ operationId, username, engine, database, user, password }) {
      operations.run(operationId, 'databases.setPassword', `${engine}:${database}`, () => {
        assertOwnName(username, database, 'database')
        assertOwnName(username, user, 'user')
        if (password.length < 8) throw invalid('db_password', 'db_password is too short.')
        const one = made.get(`${engine}:${database}`)
        if (one?.user !== user) throw notFound(`Account ${username} has no database ${database}.`)
        if (one.locked) throw conflict(`Account ${username} is suspended.`)
        one.password = password
        return null
      })
    },
    async remove({ operationId, username, engine, database, user }) {
      operations.run(operationId, 'databases.remove', `${engine}:${database}`, () => {
        assertOwnName(username, database, 'database')
        assertOwnName(username, user, 'user')
        made.delete(`${engine}:${database}`)
        for (const [key, one] of users) {
          if (one.engine !== engine || one.username !== username) continue
          one.grants = one.grants.filter((grant) => grant.database !== database)
          if (one.grants.length === 0) users.delete(key)
        }
        return null
      })
    },
    async slowQueries({ username }) {
      return port.slow.get(username) ?? []
    },
    async facts({ username }) {
      return [...made.values()]
        .filter((one) => one.username === username)
        .map(({ engine, database }) => ({ engine, database, size_bytes: 0, tables: 0 }))
    },
    async setLocked({ operationId, username, locked }) {
      operations.run(operationId, 'databases.setLocked', `${username}:${locked}`, () => {
        for (const one of [...made.values(), ...users.values()])
          if (one.username === username) one.locked = locked
        return null
      })
    },
  }
  return port
}
