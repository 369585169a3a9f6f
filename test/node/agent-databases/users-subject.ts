import { Readable } from 'node:stream'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { createDatabaseUsersPort } from '#adapters/node/agent/databases/users/database-users-port.ts'
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

/** Rights that a crash gave before they were on record are gone after the next start; answers what the user can do then. */
export const rightsAfterCrash = async (
  subject: UsersSubject,
  user: string,
  database: string,
  other: string,
  statements: readonly string[],
): Promise<{ before: string[]; after: string[] }> => {
  const { engine, registry, username } = subject
  const subjectOf = `${engine.name}:${user}`
  registry.openOperation(
    { id: operationId(), kind: 'database-users.set-grants', subject: subjectOf },
    { username },
  )
  const given = [database, other].map((one) => ({
    ...{ database: one, rights: 'all' as const },
    owner: registry.database(engine.name, one)?.user ?? '',
  }))
  await engine.users.setGrants(user, given, [])
  const before = await outcomes(subject, user, other, statements)
  const work = {
    registry,
    lock: <T>(_username: string, run: () => Promise<T>): Promise<T> => run(),
    engineOf: () => engine,
    requireOpenAccount: () => undefined,
    share: async () => undefined,
    closeSessions: async () => undefined,
    letIn: async () => undefined,
  }
  await createDatabaseUsersPort(work).settle()
  const after = [
    ...(await outcomes(subject, user, database, statements)),
    await subject.open(user, PASSWORD, other).then(
      () => 'let in',
      () => 'kept out',
    ),
  ]
  return { before, after }
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
