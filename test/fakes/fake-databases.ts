import { conflict, unavailable } from '#handlers/errors.ts'
import type { DatabasesPort, EngineInfo } from '#handlers/ports/databases.ts'
import type { DatabaseEngine } from '#handlers/ports/records.ts'
import type { FakeOperations } from './operations.ts'

export interface FakeDatabase {
  engine: DatabaseEngine
  username: string
  database: string
  user: string
  password: string
  locked: boolean
}

export interface FakeDatabases extends DatabasesPort {
  /** By `<engine>:<database>`, for assertions. */
  made: Map<string, FakeDatabase>
  /** What is installed; may be changed by a test. */
  installed: EngineInfo[]
}

export const createFakeDatabases = (operations: FakeOperations): FakeDatabases => {
  const made = new Map<string, FakeDatabase>()
  const port: FakeDatabases = {
    made,
    installed: [{ engine: 'mariadb', version: '10.11.6', running: true }],
    async engines() {
      return port.installed.map((engine) => ({ ...engine }))
    },
    async create({ operationId, username, engine, database, user, password }) {
      return operations.run(operationId, 'databases.create', `${engine}:${database}`, () => {
        if (!port.installed.some((one) => one.engine === engine)) {
          throw unavailable(`${engine} is not installed.`)
        }
        const taken = [...made.values()].some(
          (one) => one.engine === engine && (one.database === database || one.user === user),
        )
        if (taken) throw conflict(`Database ${database} or user ${user} exists already.`)
        made.set(`${engine}:${database}`, {
          engine,
          username,
          database,
          user,
          password,
          locked: false,
        })
        return { host: 'localhost' }
      })
    },
    async remove({ operationId, engine, database }) {
      operations.run(operationId, 'databases.remove', `${engine}:${database}`, () => {
        made.delete(`${engine}:${database}`)
        return null
      })
    },
    async facts({ username }) {
      return [...made.values()]
        .filter((one) => one.username === username)
        .map(({ engine, database }) => ({ engine, database, size_bytes: 16_384, tables: 1 }))
    },
    async setLocked({ operationId, username, locked }) {
      operations.run(operationId, 'databases.setLocked', `${username}:${locked}`, () => {
        for (const one of made.values()) if (one.username === username) one.locked = locked
        return null
      })
    },
  }
  return port
}
