import type { DomainRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Domains that an application answers, whole or as a backend of some of their paths. */
export const domainsOfApplication = async (
  { store }: Pick<ServiceDeps, 'store'>,
  accountId: number,
  { id, name }: { id: number; name: string },
): Promise<DomainRow[]> => {
  const [{ rows }, sites] = await Promise.all([
    store.listDomains({ accountId }),
    store.listSiteSettings({ accountId }),
  ])
  const isBackend = (domainId: number): boolean =>
    sites.get(domainId)?.backends.some(({ application }) => application === name) === true
  return rows.filter((one) => one.application_id === id || isBackend(one.id))
}
