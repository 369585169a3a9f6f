import type { ApplicationRow } from '../../ports/store/application-store.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { domainsOfApplication } from './domains-of-application.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** Has the domains that lead to an application served as its record says now: by which files, or how many instances. */
export const serveApplicationDomains = async (
  deps: Pick<ServiceDeps, 'store' | 'host'> & { journal: Journal; vhosts: VirtualHosts },
  username: string,
  application: Pick<ApplicationRow, 'id' | 'account_id' | 'name'>,
): Promise<void> => {
  const { store, host, journal, vhosts } = deps
  const { account_id: accountId } = application
  await journal.exclusively(username, async () => {
    const account = await store.accountById(accountId)
    const domains = await domainsOfApplication(deps, accountId, application)
    if (account === null || domains.length === 0) return
    await host.of(account.host_id).webServer.apply(await vhosts.ofAccount(account))
  })
}
