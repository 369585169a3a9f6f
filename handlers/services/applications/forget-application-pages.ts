import type { ServiceDeps } from '../service-deps.ts'
import { domainsOfApplication } from './domains-of-application.ts'

/** Visitors see at once what an application answers now, not what it answered before. Never rejects. */
export const forgetApplicationPages = async (
  { store, host, log }: Pick<ServiceDeps, 'store' | 'host' | 'log'>,
  accountId: number,
  applicationId: number,
): Promise<void> => {
  const account = await store.accountById(accountId)
  const application = await store.applicationById(applicationId)
  if (account === null || application === null) return
  const bound = await domainsOfApplication({ store }, accountId, application)
  const domains = bound.map(({ domain_name }) => domain_name)
  if (domains.length === 0) return
  try {
    await host.of(account.host_id).webServer.purge({ domains })
  } catch (error) {
    log.warn('pages of an application were not purged', { domains, error: String(error) })
  }
}
