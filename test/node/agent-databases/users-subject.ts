import { Readable } from 'node:stream'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { keepRights } from '#adapters/node/agent/databases/users/keep-rights.ts'
import type { Registry } from '#adapters/node/agent/registry/types.ts'
import type { DatabaseRights } from '#handlers/ports/host/databases/database-users.ts'
import type { OpenDatabase } from '#test/contract/databases/database-users-port.ts'

/** A running server with an account that has nothing yet. */
export interface UsersSubject {
  service: DatabasesService
  engine: Engine
  registry: Registry
  username: string
  open(user: string, password: string, database: string): Promise<OpenDatabase>
}

export const PASSWORD = 'correct horse 9 battery'
let serial = 0
const operationId = (): string => `users-attack-${(serial += 1)}`

/** A database with its own user. */
export const madeDatabase = async (
  { service, engine }: UsersSubject,
  username: string,
  name: string,
): Promise<{ username: string; engine: Engine['name']; database: string; user: string }> => {
  const database = `${username}_${name}`
  const made = { username, engine: engine.name, database, user: database }
  await service.create({ ...made, operationId: operationId(), password: PASSWORD })
  return made
}

/** A further user of one database. */
export const madeUser = async (
  { service, engine }: UsersSubject,
  username: string,
  name: string,
  database: string,
  rights: DatabaseRights,
): Promise<string> => {
  const user = `${username}_${name}`
  await service.users.create({
    ...{ operationId: operationId(), username, engine: engine.name, user, password: PASSWORD },
    grants: [{ database, rights }],
  })
  return user
}

/** The message of each statement that is refused, `done` for the others. */
export const outcomes = async (
  { open }: UsersSubject,
  user: string,
  database: string,
  statements: readonly string[],
): Promise<string[]> => {
  const results: string[] = []
  for (const statement of statements) {
    const connection = await open(user, PASSWORD, database)
    results.push(
      await connection.run(statement).then(
        () => 'done',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    )
    await connection.end()
  }
  return results
}

/** Takes a dump and puts it back in the place of the database. */
export const putBack = async (
  { engine, registry }: UsersSubject,
  database: string,
  user: string,
): Promise<void> => {
  const dump = Buffer.concat(await engine.dump(database).toArray())
  await keepRights(engine, registry).restore({ database, user, runAs: null }, Readable.from([dump]))
}
