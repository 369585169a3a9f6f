import type { AccountRow, OperationRow } from '../../ports/store/records.ts'
import { attemptId, isGone } from '../journal/attempts.ts'
import type { Fronts } from '../fronts/fronts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

export const ACCOUNT_CREATE = 'account.create'
export const ACCOUNT_DELETE = 'account.delete'
export const ACCOUNT_SUSPEND = 'account.suspend'
export const ACCOUNT_UNSUSPEND = 'account.unsuspend'

type Deps = Pick<ServiceDeps, 'store' | 'host'> & {
  vhosts: VirtualHosts
  fronts: Pick<Fronts, 'bringAccount'>
}

const undoCreation = ({ store, host }: Deps, operation: OperationRow): Step[] => {
  const username = operation.subject
  const domain = String(operation.data['domain'])
  return [
    {
      name: 'vhost',
      async run() {
        // Without the user step nothing was ever put there, and a reload is saved.
        if (!operation.steps.includes('user')) return
        await host.ofAccount(username).webServer.apply({ put: [], remove: [domain] })
      },
    },
    {
      name: 'user',
      async run() {
        // The name may belong to a user of the system: only what this operation made is removed.
        const made = await host.ofAccount(username).users.operation({ operationId: operation.id })
        if (made === null || made.state === 'undone') return
        try {
          await host.users.remove({ operationId: attemptId(operation), username })
        } catch (error) {
          if (!isGone(error)) throw error
        }
      },
    },
    {
      name: 'rows',
      async run() {
        const account = await store.accountByName(username)
        if (account !== null) await store.deleteAccount(account.id)
      },
    },
  ]
}

const domainNames = async ({ store }: Deps, accountId: number): Promise<string[]> =>
  (await store.listDomains({ accountId })).rows.map((row) => row.domain_name)

const deletionSteps = (deps: Deps, operation: OperationRow): Step[] => {
  const { store, host } = deps
  const username = operation.subject
  const accountId = Number(operation.data['account_id'])
  return [
    {
      // First of all: an account that still runs could go on making what the next steps remove.
      name: 'close',
      text: 'Closing the account',
      async run() {
        await deps.fronts.bringAccount(username)
        try {
          await host.users.suspend({ operationId: attemptId(operation), username })
        } catch (error) {
          if (!isGone(error)) throw error
        }
        await host.databases.setLocked({
          operationId: attemptId(operation),
          username,
          locked: true,
        })
      },
    },
    {
      name: 'vhosts',
      text: 'Taking the sites off the web server',
      run: async () =>
        host
          .ofAccount(username)
          .webServer.apply({ put: [], remove: await domainNames(deps, accountId) }),
    },
    {
      name: 'applications',
      text: 'Ending the applications',
      async run() {
        for (const { name } of (await store.listApplications({ accountId })).rows)
          await host.applications.remove({ username, name })
      },
    },
    {
      name: 'certificates',
      async run() {
        for (const { domain } of (await store.listCertificates({ accountId })).rows) {
          try {
            await host.certificates.prune({ username, domain, keep: null })
          } catch (error) {
            if (!isGone(error)) throw error
          }
        }
      },
    },
    {
      name: 'databases',
      text: 'Deleting the databases',
      async run() {
        for (const row of await store.listDatabases(accountId)) {
          await host.databases.remove({
            operationId: attemptId(operation),
            username,
            engine: row.engine,
            database: row.database_name,
            user: row.database_user,
          })
          await store.deleteDatabase(row.id)
        }
      },
    },
    {
      name: 'user',
      text: 'Removing the system user and its home',
      async run() {
        try {
          await host.users.remove({ operationId: attemptId(operation), username })
        } catch (error) {
          if (!isGone(error)) throw error
        }
      },
    },
    {
      name: 'purge',
      text: 'Clearing the page cache',
      async run() {
        const domains = await domainNames(deps, accountId)
        if (domains.length > 0) await host.ofAccount(username).webServer.purge({ domains })
      },
    },
    { name: 'rows', text: 'Removing the records', run: () => store.deleteAccount(accountId) },
  ]
}

/** The account of an operation, or null when it is gone since. */
const accountOf = ({ store }: Deps, operation: OperationRow): Promise<AccountRow | null> =>
  store.accountById(Number(operation.data['account_id']))

const lockSteps = (deps: Deps, operation: OperationRow, locked: boolean): Step[] => {
  const { host, vhosts } = deps
  const username = operation.subject
  const databases: Step = {
    name: 'databases',
    run: () => host.databases.setLocked({ operationId: attemptId(operation), username, locked }),
  }
  const user: Step = {
    name: 'user',
    run: () =>
      host.users[locked ? 'suspend' : 'unsuspend']({ operationId: attemptId(operation), username }),
  }
  const sites: Step = {
    name: 'sites',
    async run() {
      // Before the host is asked, which may be away. What is opened is open there first.
      if (locked) await deps.fronts.bringAccount(username)
      const account = await accountOf(deps, operation)
      if (account === null) return
      await host.of(account.host_id).webServer.apply(await vhosts.ofAccount(account))
    },
  }
  const purge: Step = {
    name: 'purge',
    async run() {
      const domains = await domainNames(deps, Number(operation.data['account_id']))
      if (domains.length > 0) await host.ofAccount(username).webServer.purge({ domains })
    },
  }
  // Closing shuts the door first; opening opens it last.
  return locked ? [sites, user, databases, purge] : [databases, user, sites]
}

/** How the four operations on accounts are settled. */
export const accountOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: ACCOUNT_CREATE, settle: 'undo', steps: (operation) => undoCreation(deps, operation) },
  { kind: ACCOUNT_DELETE, settle: 'finish', steps: (operation) => deletionSteps(deps, operation) },
  {
    kind: ACCOUNT_SUSPEND,
    settle: 'finish',
    steps: (operation) => lockSteps(deps, operation, true),
  },
  {
    kind: ACCOUNT_UNSUSPEND,
    settle: 'finish',
    steps: (operation) => lockSteps(deps, operation, false),
  },
]
