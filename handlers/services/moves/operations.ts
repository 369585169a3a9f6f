import { isAppError } from '../../errors.ts'
import type { AccountRow, OperationRow } from '../../ports/store/records.ts'
import { attemptId, isGone } from '../journal/attempts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** Until the account is on its new host: whatever fails leaves it where it was. */
export const ACCOUNT_RELOCATE = 'account.relocate'
/** From then on, which only goes forward. */
export const ACCOUNT_RELOCATED = 'account.relocated'

/** What settling needs. */
export interface MoveData extends Record<string, unknown> {
  account_id: number
  /** Ids of hosts. */
  from: number
  to: number
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'> & { vhosts: VirtualHosts }

const dataOf = ({ data }: OperationRow): MoveData => ({
  account_id: Number(data['account_id']),
  from: Number(data['from']),
  to: Number(data['to']),
})

const isAway = (error: unknown): boolean => isAppError(error) && error.status === 503

const undoSteps = ({ store, host }: Deps, operation: OperationRow): Step[] => {
  const { account_id, from, to } = dataOf(operation)
  const username = operation.subject
  /** Null once it is on its new host: then nothing is undone. */
  const unmoved = async (): Promise<AccountRow | null> => {
    const account = await store.accountById(account_id)
    return account?.host_id === from ? account : null
  }
  return [
    {
      name: 'thaw',
      async run() {
        const account = await unmoved()
        if (account?.status !== 'active') return
        const source = host.of(from)
        const order = { operationId: attemptId(operation), username }
        await source.users.unsuspend(order)
        await source.databases.setLocked({ ...order, locked: false })
      },
    },
    {
      name: 'target',
      async run() {
        if ((await unmoved()) === null) return
        const { users } = host.of(to)
        try {
          const made = await users.operation({ operationId: operation.id })
          if (made === null || made.state === 'undone') return
          await users.remove({ operationId: attemptId(operation), username })
        } catch (error) {
          if (isGone(error)) return
          if (!isAway(error)) throw error
          // It must not keep the account from its owner: it goes when that host is back.
          await store.putAccountCopy({ username, host_id: to, until_secs: 0, leads: [] })
        }
      },
    },
  ]
}

const forwardSteps = (deps: Deps, operation: OperationRow): Step[] => {
  const { store, host, vhosts, log } = deps
  const { account_id, from, to } = dataOf(operation)
  const username = operation.subject
  return [
    {
      name: 'open',
      text: 'Opening the account on its new host',
      async run() {
        const account = await store.accountById(account_id)
        if (account === null) return
        const target = host.of(to)
        const order = { operationId: attemptId(operation), username }
        const locked = account.status !== 'active'
        await target.databases.setLocked({ ...order, locked })
        if (!locked) await target.users.unsuspend(order)
        await target.webServer.apply(await vhosts.ofAccount(account))
      },
    },
    {
      name: 'lead',
      text: 'Leading visitors to the new host',
      async run() {
        const copies = await store.listAccountCopies()
        const copy = copies.find((one) => one.username === username && one.host_id === from)
        try {
          await host.of(from).webServer.apply({ put: copy?.leads ?? [], remove: [] })
        } catch (error) {
          // Sites answer at their new host; who still comes here is led when this one is written anew.
          if (!isAppError(error)) throw error
          log.warn('a host does not lead to where an account is now', {
            ...{ host: from, username, error: error.message },
          })
        }
      },
    },
  ]
}

/** How moves of accounts are settled. */
export const moveOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: ACCOUNT_RELOCATE, settle: 'undo', steps: (operation) => undoSteps(deps, operation) },
  {
    kind: ACCOUNT_RELOCATED,
    settle: 'finish',
    steps: (operation) => forwardSteps(deps, operation),
  },
]
