import { isAppError, notFound } from '../../errors.ts'
import type { OperationRow } from '../../ports/store/records.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import { ACCOUNT_NOT_FOUND, requireAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'

export const RESELLER_SUSPEND = 'reseller.suspend'
export const RESELLER_UNSUSPEND = 'reseller.unsuspend'
export const RESELLER_CREATE = 'reseller.create'
export const RESELLER_DELETE = 'reseller.delete'
/** Accounts get another reseller, or none. */
export const ACCOUNT_MOVE = 'account.move'

type Deps = Pick<ServiceDeps, 'store'> & { accounts: Pick<Accounts, 'suspend' | 'unsuspend'> }

/** Each account for itself: one that cannot be closed must not keep the others open. Throws the first failure in the end. */
const each = async (ids: readonly number[], work: (id: number) => Promise<unknown>) => {
  const failures: unknown[] = []
  for (const id of ids) {
    await work(id).catch((error: unknown) => {
      // Gone or changed by somebody else meanwhile: nothing is left to be done about it.
      if (!isAppError(error) || (error.status !== 404 && error.status !== 409)) failures.push(error)
    })
  }
  if (failures.length > 0) throw failures[0]
}

/** Throws for an account that was given to somebody else while its turn was waited for. */
const stillHis =
  (store: Deps['store'], id: number, { data }: OperationRow) =>
  async (): Promise<void> => {
    const { reseller_id: owner } = await requireAccount(store, id)
    if (owner !== Number(data['reseller_id'])) throw notFound(ACCOUNT_NOT_FOUND)
  }

const suspendSteps = ({ store, accounts }: Deps, operation: OperationRow): Step[] => {
  const { data } = operation
  const reason = data['reason']
  const step: Step = {
    name: 'accounts',
    text: 'Suspending his accounts',
    async run() {
      const rows = await store.accountsOfReseller(Number(data['reseller_id']))
      const open = rows.filter(({ status }) => status === 'active' || status === 'creating')
      const because = typeof reason === 'string' ? reason : null
      await each(
        open.map(({ id }) => id),
        (id) =>
          accounts.suspend(id, because, {
            withReseller: true,
            stillAllowed: stillHis(store, id, operation),
          }),
      )
    },
  }
  return data['with_accounts'] === true ? [step] : []
}

const unsuspendSteps = ({ store, accounts }: Deps, operation: OperationRow): Step[] => [
  {
    name: 'accounts',
    text: 'Opening his accounts',
    async run() {
      const rows = await store.accountsOfReseller(Number(operation.data['reseller_id']))
      const closed = rows.filter((row) => row.suspended_with_reseller === 1)
      await each(
        closed.map(({ id }) => id),
        (id) => accounts.unsuspend(id, { stillAllowed: stillHis(store, id, operation) }),
      )
    },
  },
]

/** How operations on resellers are settled; that of a move is done with its records. */
export const resellerOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: RESELLER_SUSPEND, settle: 'finish', steps: (operation) => suspendSteps(deps, operation) },
  {
    kind: RESELLER_UNSUSPEND,
    settle: 'finish',
    steps: (operation) => unsuspendSteps(deps, operation),
  },
  { kind: ACCOUNT_MOVE, settle: 'finish', steps: () => [] },
]
