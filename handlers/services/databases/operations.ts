import type { DatabaseEngine, OperationRow } from '../../ports/store/records.ts'
import { attemptId, isGone } from '../journal/attempts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'

export const DATABASE_CREATE = 'database.create'
export const DATABASE_DELETE = 'database.delete'

type Deps = Pick<ServiceDeps, 'store' | 'host'>

const drop = async ({ host }: Deps, operation: OperationRow): Promise<void> => {
  const { engine, database, user } = operation.data
  try {
    await host.databases.remove({
      operationId: attemptId(operation),
      username: operation.subject,
      engine: engine as DatabaseEngine,
      database: String(database),
      user: String(user),
    })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const removeRow = async ({ store }: Deps, operation: OperationRow): Promise<void> => {
  const { account_id, engine, database } = operation.data
  const rows = await store.listDatabases(Number(account_id))
  const row = rows.find((one) => one.engine === engine && one.database_name === database)
  if (row !== undefined) await store.deleteDatabase(row.id)
}

/** Takes a database back that an operation was to make, whose data name it as that of `DATABASE_CREATE` does. */
export const undoCreation = (deps: Deps, operation: OperationRow): Step[] => [
  {
    name: 'database',
    async run() {
      // A database of that name that this operation did not make is not ours to drop.
      const made = await deps.host
        .ofAccount(operation.subject)
        .users.operation({ operationId: operation.id })
      if (made !== null && made.state !== 'undone') await drop(deps, operation)
    },
  },
  { name: 'row', run: () => removeRow(deps, operation) },
]

/** How operations on databases are settled. */
export const databaseOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: DATABASE_CREATE, settle: 'undo', steps: (operation) => undoCreation(deps, operation) },
  {
    kind: DATABASE_DELETE,
    settle: 'finish',
    steps: (operation) => [
      { name: 'database', run: () => drop(deps, operation) },
      { name: 'row', run: () => removeRow(deps, operation) },
    ],
  },
]
