import type { ApplicationRow } from '../../ports/store/application-store.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** Has the domains that lead to an application served as its record says now: by which files, or how many instances. */
export const serveApplicationDomains = async (
  deps: Pick<ServiceDeps, 'store' | 'host'> & { journal: Journal; vhosts: VirtualHosts },
  username: string,
  { id, account_id: accountId }: Pick<ApplicationRow, 'id' | 'account_id'>,
): Promise<void> => {
  const { store, host, journal, vhosts } = deps
  await journal.exclusively(username, async () => {
    const account = await store.accountById(accountId)
    const { rows } = await store.listDomains({ accountId })
    if (account === null || !rows.some(({ application_id }) => application_id === id)) return
    await host.webServer.apply(await vhosts.ofAccount(account))
  })
}
