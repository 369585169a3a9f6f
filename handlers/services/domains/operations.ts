import type { OperationRow } from '../../ports/store/records.ts'
import { isGone } from '../journal/attempts.ts'
import { siteSettingsKind } from './rewrite-site.ts'
import { domainChangeKind } from './changes.ts'
import type { Journal, OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

export const DOMAIN_CREATE = 'domain.create'
export const DOMAIN_DELETE = 'domain.delete'

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { vhosts: VirtualHosts }

/** Takes a domain off the web server, and puts the host whose alias it is as it is without it. */
const removeVhost = async (deps: Deps, operation: OperationRow): Promise<void> => {
  const domain = String(operation.data['domain'])
  const account = await deps.store.accountById(Number(operation.data['account_id']))
  const around =
    account === null
      ? { put: [], remove: [] }
      : await deps.vhosts.around(account, domain, { gone: true })
  await deps.host
    .ofAccount(operation.subject)
    .webServer.apply({ ...around, remove: [domain, ...around.remove] })
}

const removeCertificate = async ({ host }: Deps, operation: OperationRow): Promise<void> => {
  const domain = String(operation.data['domain'])
  try {
    await host.certificates.prune({ username: operation.subject, domain, keep: null })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const removeRow = async ({ store }: Deps, operation: OperationRow): Promise<void> => {
  const row = await store.domainByName(String(operation.data['domain']))
  if (row !== null && row.account_id === operation.data['account_id']) {
    await store.deleteDomain(row.id)
  }
}

/**
 * Takes a domain back that an operation was to make, whose data name it as that of `DOMAIN_CREATE`
 * does; one that somebody else has by now is left alone.
 */
export const undoDomain = (deps: Deps, operation: OperationRow): Step[] => {
  const unlessForeign = (run: (deps: Deps, operation: OperationRow) => Promise<void>) =>
    async function () {
      const row = await deps.store.domainByName(String(operation.data['domain']))
      if (row === null || row.account_id === operation.data['account_id'])
        await run(deps, operation)
    }
  return [
    { name: 'vhost', run: unlessForeign(removeVhost) },
    { name: 'domain row', run: unlessForeign(removeRow) },
  ]
}

/** How operations on domains are settled. */
export const domainOperationKinds = (
  deps: Deps & Pick<ServiceDeps, 'clock'> & { journal: Journal },
): OperationKind[] => {
  const vhost = (operation: OperationRow): Step => ({
    name: 'vhost',
    run: () => removeVhost(deps, operation),
  })
  const row = (operation: OperationRow): Step => ({
    name: 'row',
    run: () => removeRow(deps, operation),
  })
  const purge = (operation: OperationRow): Step => ({
    name: 'purge',
    run: () =>
      deps.host
        .ofAccount(operation.subject)
        .webServer.purge({ domains: [String(operation.data['domain'])] }),
  })
  return [
    domainChangeKind(deps),
    siteSettingsKind(deps),
    {
      kind: DOMAIN_CREATE,
      settle: 'undo',
      // The folder stays: somebody may have put files into it meanwhile.
      steps: (operation) =>
        operation.steps.includes('folder') ? [vhost(operation), row(operation)] : [row(operation)],
    },
    {
      kind: DOMAIN_DELETE,
      settle: 'finish',
      steps: (operation) => [
        vhost(operation),
        { name: 'certificate', run: () => removeCertificate(deps, operation) },
        purge(operation),
        row(operation),
      ],
    },
  ]
}
