import type { OperationRow } from '../../ports/store/records.ts'
import { attemptId, isGone } from '../journal/attempts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Kinds of operations on addresses from which databases may be reached. */
export const DATABASE_ADDRESS = {
  create: 'database_address.create',
  remove: 'database_address.delete',
} as const

type Deps = Pick<ServiceDeps, 'store' | 'host'>

/** What the host is told: all addresses of the records but one. */
const without = async ({ store }: Deps, { data }: OperationRow): Promise<string[]> => {
  const rows = await store.listDatabaseAddresses(Number(data['account_id']))
  return rows.map(({ address }) => address).filter((address) => address !== data['address'])
}

/** The address counts no more, then it is in the records no more. */
const steps = (deps: Deps, operation: OperationRow): Step[] => [
  {
    name: 'host',
    async run() {
      try {
        await deps.host.databaseRemote.setAddresses({
          operationId: attemptId(operation),
          username: operation.subject,
          addresses: await without(deps, operation),
        })
      } catch (error) {
        if (!isGone(error)) throw error
      }
    },
  },
  {
    name: 'row',
    async run() {
      const { account_id, address } = operation.data
      const rows = await deps.store.listDatabaseAddresses(Number(account_id))
      const row = rows.find((one) => one.address === address)
      if (row !== undefined) await deps.store.deleteDatabaseAddress(row.id)
    },
  },
]

/** How operations on addresses are settled. */
export const databaseAddressOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: DATABASE_ADDRESS.create, settle: 'undo', steps: (row) => steps(deps, row) },
  { kind: DATABASE_ADDRESS.remove, settle: 'finish', steps: (row) => steps(deps, row) },
]
