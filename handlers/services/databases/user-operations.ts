import type { DatabaseGrant } from '../../ports/host/databases/database-users.ts'
import type { DatabaseEngine, OperationRow } from '../../ports/store/records.ts'
import { attemptId, isGone } from '../journal/attempts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Kinds of operations on further users of databases. */
export const DATABASE_USER = {
  create: 'database_user.create',
  grants: 'database_user.grants',
  rename: 'database_user.rename',
  remove: 'database_user.delete',
} as const

type Deps = Pick<ServiceDeps, 'store' | 'host'>

/** What every operation on a user tells. */
const namesOf = ({ subject, data }: OperationRow) => ({
  username: subject,
  engine: data['engine'] as DatabaseEngine,
})

/** What is not there needs nothing. */
const unlessGone = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!isGone(error)) throw error
  })
}

/** Whether the host has done something under the operation's own id, or is in the midst of it. */
const wasDone = async ({ host }: Deps, operation: OperationRow): Promise<boolean> => {
  const made = await host
    .ofAccount(operation.subject)
    .users.operation({ operationId: operation.id })
  return made !== null && made.state !== 'undone'
}

const drop = (deps: Deps, operation: OperationRow): Promise<void> =>
  unlessGone(
    deps.host.databaseUsers.remove({
      ...namesOf(operation),
      operationId: attemptId(operation),
      user: String(operation.data['name']),
    }),
  )

const removeRow = async ({ store }: Deps, { data }: OperationRow): Promise<void> => {
  const rows = await store.listDatabaseUsers(Number(data['account_id']))
  const row = rows.find((one) => one.engine === data['engine'] && one.name === data['name'])
  if (row !== undefined) await store.deleteDatabaseUser(row.id)
}

const undoGrants = (deps: Deps, operation: OperationRow): Step[] => [
  {
    name: 'rights',
    async run() {
      if (!(await wasDone(deps, operation))) return
      await unlessGone(
        deps.host.databaseUsers.setGrants({
          ...namesOf(operation),
          operationId: attemptId(operation),
          user: String(operation.data['name']),
          grants: operation.data['before'] as DatabaseGrant[],
        }),
      )
    },
  },
  {
    name: 'row',
    async run() {
      const { account_id, engine, name, before } = operation.data
      const rows = await deps.store.listDatabaseUsers(Number(account_id))
      const row = rows.find((one) => one.engine === engine && one.name === name)
      if (row === undefined) return
      const databases = await deps.store.listDatabases(Number(account_id))
      const grants = (before as DatabaseGrant[]).flatMap(({ database, rights }) => {
        const one = databases.find((has) => has.engine === engine && has.database_name === database)
        return one === undefined ? [] : [{ database_id: one.id, rights }]
      })
      await deps.store.setDatabaseGrants(row.id, grants)
    },
  },
]

const undoRename = (deps: Deps, operation: OperationRow): Step[] => {
  const { account_id, engine, from, to } = operation.data
  return [
    {
      name: 'user',
      async run() {
        if (!(await wasDone(deps, operation))) return
        await unlessGone(
          deps.host.databaseUsers.rename({
            ...namesOf(operation),
            operationId: attemptId(operation),
            user: String(to),
            to: String(from),
          }),
        )
      },
    },
    {
      name: 'row',
      async run() {
        const { store } = deps
        const users = await store.listDatabaseUsers(Number(account_id))
        for (const row of users)
          if (row.engine === engine && row.name === to)
            await store.renameDatabaseUser(row.id, String(from))
        for (const row of await store.listDatabases(Number(account_id)))
          if (row.engine === engine && row.database_user === to)
            await store.renameDatabaseOwner(row.id, String(from))
      },
    },
  ]
}

/** How operations on further users are settled. */
export const databaseUserOperationKinds = (deps: Deps): OperationKind[] => [
  {
    kind: DATABASE_USER.create,
    settle: 'undo',
    steps: (operation) => [
      {
        name: 'user',
        async run() {
          // A user of that name that this operation did not make is not ours to drop.
          if (await wasDone(deps, operation)) await drop(deps, operation)
        },
      },
      { name: 'row', run: () => removeRow(deps, operation) },
    ],
  },
  { kind: DATABASE_USER.grants, settle: 'undo', steps: (row) => undoGrants(deps, row) },
  { kind: DATABASE_USER.rename, settle: 'undo', steps: (row) => undoRename(deps, row) },
  {
    kind: DATABASE_USER.remove,
    settle: 'finish',
    steps: (operation) => [
      { name: 'user', run: () => drop(deps, operation) },
      { name: 'row', run: () => removeRow(deps, operation) },
    ],
  },
]
