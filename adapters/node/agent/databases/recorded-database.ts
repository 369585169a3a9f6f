import { conflict } from '#handlers/errors.ts'
import type { OperationKey, RegisteredDatabase, Registry } from '../registry/types.ts'
import { runOperation } from '../run-operation.ts'
import type { Engine } from './engine.ts'

/** The step after which everything under the names of the operation is ours to drop. */
export const NAMES_WERE_FREE = 'names-were-free'

/** Drops what the record names, then the record. */
export const dropRecorded = async (
  registry: Registry,
  engine: Engine,
  row: RegisteredDatabase,
): Promise<void> => {
  await engine.whenReady()
  await engine.drop(row.database, row.user)
  registry.removeDatabase(row.engine, row.database)
}

const requireFreeNames = async (
  registry: Registry,
  engine: Engine,
  { database, user, username }: RegisteredDatabase,
): Promise<void> => {
  if (registry.database(engine.name, database) || (await engine.exists(database, user)))
    throw conflict(`Database or user ${database} exists already. Choose another name.`, 'db_name')
  if (
    registry
      .databasesOf(username)
      .some((other) => other.engine === engine.name && other.user === user)
  )
    throw conflict(`Database user ${user} exists already. Choose another name.`, 'db_user')
}

/**
 * Records and creates a database once per operation; when a step fails, neither
 * is left. A run that a crash broke off is continued: its names were free when
 * it began, and only the account itself can have names with this prefix.
 */
export const createRecorded = (work: {
  registry: Registry
  engine: Engine
  key: OperationKey
  row: RegisteredDatabase
  password: string
  /** Throws unless the account may have databases; nothing may come between it and the record. */
  requireOpenAccount: (username: string) => void
}): Promise<{ host: string }> => {
  const { registry, engine, key, row } = work
  const { database, user, username } = row
  const isOurs = (): boolean => registry.operation(key)?.steps.includes(NAMES_WERE_FREE) === true
  return runOperation(
    registry,
    key,
    { username, database, user },
    async (step) => {
      if (!isOurs()) {
        await requireFreeNames(registry, engine, row)
        step(NAMES_WERE_FREE)
      }
      work.requireOpenAccount(username)
      // False when this very operation got as far before a crash.
      registry.addDatabase(row)
      await engine.create(database, user, work.password)
      return { host: engine.host }
    },
    async () => {
      if (isOurs()) await dropRecorded(registry, engine, row)
    },
  )
}
