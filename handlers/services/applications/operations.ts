import type { OperationRow } from '../../ports/store/records.ts'
import type { ApplicationSettings } from '../../ports/store/application-store.ts'
import type { Journal, OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { applicationSpec } from './application-spec.ts'
import { domainsOfApplication } from './domains-of-application.ts'
import { createDeploymentSteps } from './deployment-steps.ts'

export const APPLICATION_CREATE = 'application.create'
export const APPLICATION_CHANGE = 'application.change'
export const APPLICATION_DELETE = 'application.delete'
export const APPLICATION_DEPLOY = 'application.deploy'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & {
  journal: Journal
  vhosts: VirtualHosts
}

/** What deployments of one application wait for each other under. */
export const applicationSubject = (username: string, name: string): string =>
  `application:${username}/${name}`

const of = ({ subject, data }: OperationRow) => ({
  username: subject,
  name: String(data['name']),
})
const rowOf = ({ store }: Deps, { data }: OperationRow) =>
  store.applicationByName(Number(data['account_id']), String(data['name']))

const removeRow = async (deps: Deps, operation: OperationRow): Promise<void> => {
  const row = await rowOf(deps, operation)
  if (row !== null) await deps.store.deleteApplication(row.id)
}

const releaseDomains = async (deps: Deps, operation: OperationRow): Promise<void> => {
  const row = await rowOf(deps, operation)
  if (row === null) return
  const { store } = deps
  for (const domain of await domainsOfApplication(deps, row.account_id, row)) {
    if (domain.application_id === row.id)
      await store.updateDomain(domain.id, { application_id: null, application_paths: null })
    const site = await store.siteSettings(domain.id)
    const backends = site?.backends.filter(({ application }) => application !== row.name)
    if (site && backends?.length !== site.backends.length)
      await store.putSiteSettings(domain.id, { ...site, backends: backends ?? [] })
  }
}

/** Domains that it had are served by what else there is. */
const serveDomains = async (deps: Deps, { data }: OperationRow): Promise<void> => {
  const { store, host, vhosts } = deps
  const domains = data['domains'] as string[]
  const account = await store.accountById(Number(data['account_id']))
  if (account === null || domains.length === 0) return
  await host.of(account.host_id).webServer.apply(await vhosts.ofAccount(account))
  await host.of(account.host_id).webServer.purge({ domains })
}

const undoChange = (deps: Deps, operation: OperationRow): Step[] => [
  {
    name: 'row',
    async run() {
      const row = await rowOf(deps, operation)
      if (row === null) return
      await deps.store.updateApplication(row.id, operation.data['before'] as ApplicationSettings)
    },
  },
  {
    name: 'host',
    async run() {
      const row = await rowOf(deps, operation)
      if (row === null || !operation.steps.includes('row')) return
      const spec = applicationSpec(operation.subject, row)
      await deps.host.ofAccount(operation.subject).applications.put({ spec, secrets: {} })
    },
  },
]

/** How operations on applications are settled. */
export const applicationOperationKinds = (deps: Deps): OperationKind[] => [
  {
    kind: APPLICATION_CREATE,
    settle: 'undo',
    steps: (operation) => [
      { name: 'host', run: () => deps.host.applications.remove(of(operation)) },
      { name: 'row', run: () => removeRow(deps, operation) },
    ],
  },
  {
    kind: APPLICATION_CHANGE,
    settle: 'undo',
    steps: (operation) => undoChange(deps, operation),
  },
  {
    kind: APPLICATION_DELETE,
    settle: 'finish',
    steps: (operation) => [
      { name: 'domains', run: () => releaseDomains(deps, operation) },
      { name: 'sites', run: () => serveDomains(deps, operation) },
      { name: 'host', run: () => deps.host.applications.remove(of(operation)) },
      { name: 'row', run: () => removeRow(deps, operation) },
    ],
  },
  {
    kind: APPLICATION_DEPLOY,
    settle: 'finish',
    takesLong: true,
    steps: createDeploymentSteps(deps),
  },
]
