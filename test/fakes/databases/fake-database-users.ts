import { conflict, invalid, notFound } from '#handlers/errors.ts'
import type {
  DatabaseGrant,
  DatabaseUsersPort,
} from '#handlers/ports/host/databases/database-users.ts'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { FakeDatabases, FakeDatabaseUser } from '../fake-databases.ts'
import type { FakeOperations } from '../operations.ts'

/** Only names made of the account's prefix and 1-32 of a-z, 0-9 and `_`. */
const assertOwnName = (username: string, name: string, field: string): void => {
  const short = name.startsWith(`${username}_`) ? name.slice(username.length + 1) : ''
  if (!/^[a-z0-9_]{1,32}$/.test(short) || short.includes('\n'))
    throw invalid(field, `${field} is not a name of account ${username}.`)
}

/** Further users of the fake's databases. `isSuspended` is null for an account that the host did not make. */
export const createFakeDatabaseUsers = (
  operations: FakeOperations,
  { made, users, installed }: FakeDatabases,
  isSuspended: (username: string) => boolean | null,
): DatabaseUsersPort => {
  const requireOpen = (username: string): void => {
    const suspended = isSuspended(username)
    if (suspended === null) throw notFound(`User ${username} does not exist.`)
    if (suspended) throw conflict(`Account ${username} is suspended.`)
  }
  const isTaken = (engine: DatabaseEngine, user: string): boolean =>
    users.has(`${engine}:${user}`) ||
    [...made.values()].some((one) => one.engine === engine && one.user === user)
  const checkGrants = (username: string, engine: DatabaseEngine, grants: DatabaseGrant[]): void => {
    if (grants.length === 0) throw invalid('databases', 'databases: choose one at least.')
    for (const { database } of grants) {
      assertOwnName(username, database, 'databases')
      if (made.get(`${engine}:${database}`)?.username !== username)
        throw notFound(`Account ${username} has no database ${database}.`)
    }
  }
  const require = (username: string, engine: DatabaseEngine, user: string): FakeDatabaseUser => {
    assertOwnName(username, user, 'db_user')
    const one = users.get(`${engine}:${user}`)
    if (one?.username === username) return one
    throw notFound(`Account ${username} has no further database user ${user}.`)
  }
  const checkPassword = (password: string): void => {
    if (password.length < 8) throw invalid('password', 'password is too short.')
  }

  return {
    async create({ operationId, username, engine, user, password, grants }) {
      return operations.run(operationId, 'databaseUsers.create', `${engine}:${user}`, () => {
        assertOwnName(username, user, 'db_user')
        checkPassword(password)
        requireOpen(username)
        checkGrants(username, engine, grants)
        if (isTaken(engine, user)) throw conflict(`Database user ${user} exists already.`, 'name')
        users.set(`${engine}:${user}`, {
          ...{ engine, username, user, password, locked: false },
          grants: grants.map((one) => ({ ...one })),
        })
        return { host: installed.find((one) => one.engine === engine)?.host ?? 'localhost' }
      })
    },
    async setGrants({ operationId, username, engine, user, grants }) {
      operations.run(operationId, 'databaseUsers.setGrants', `${engine}:${user}`, () => {
        const one = require(username, engine, user)
        requireOpen(username)
        checkGrants(username, engine, grants)
        one.grants = grants.map((grant) => ({ ...grant }))
        return null
      })
    },
    async setPassword({ operationId, username, engine, user, password }) {
      operations.run(operationId, 'databaseUsers.setPassword', `${engine}:${user}`, () => {
        const one = require(username, engine, user)
        checkPassword(password)
        requireOpen(username)
        one.password = password
        return null
      })
    },
    async rename({ operationId, username, engine, user, to }) {
      operations.run(operationId, 'databaseUsers.rename', `${engine}:${user}`, () => {
        assertOwnName(username, user, 'db_user')
        assertOwnName(username, to, 'name')
        requireOpen(username)
        const owned = [...made.values()].find((one) => one.engine === engine && one.user === user)
        const further = users.get(`${engine}:${user}`)
        if (owned === undefined && further === undefined)
          throw notFound(`Account ${username} has no database user ${user}.`)
        if (isTaken(engine, to)) throw conflict(`Database user ${to} exists already.`, 'name')
        if (owned !== undefined) owned.user = to
        if (further !== undefined) {
          users.delete(`${engine}:${user}`)
          users.set(`${engine}:${to}`, { ...further, user: to })
        }
        return null
      })
    },
    async remove({ operationId, username, engine, user }) {
      operations.run(operationId, 'databaseUsers.remove', `${engine}:${user}`, () => {
        assertOwnName(username, user, 'db_user')
        users.delete(`${engine}:${user}`)
        return null
      })
    },
  }
}
