import type { ServiceDeps } from '../service-deps.ts'

/** Visitors see at once what changed in an account's sites, not when the pages from before have expired. Never rejects. */
export const forgetPages = async (
  { store, host, log }: Pick<ServiceDeps, 'store' | 'host' | 'log'>,
  accountId: number,
): Promise<void> => {
  const account = await store.accountById(accountId)
  if (account === null) return
  const domains = (await store.listDomains({ accountId })).rows.map((row) => row.domain_name)
  if (domains.length === 0) return
  try {
    await host.of(account.host_id).webServer.purge({ domains })
  } catch (error) {
    log.warn('pages from before a change were not purged', { domains, error: String(error) })
  }
}
