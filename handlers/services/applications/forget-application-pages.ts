import type { ServiceDeps } from '../service-deps.ts'

/** Visitors see at once what an application answers now, not what it answered before. Never rejects. */
export const forgetApplicationPages = async (
  { store, host, log }: Pick<ServiceDeps, 'store' | 'host' | 'log'>,
  accountId: number,
  applicationId: number,
): Promise<void> => {
  const { rows } = await store.listDomains({ accountId })
  const domains = rows
    .filter(({ application_id }) => application_id === applicationId)
    .map(({ domain_name }) => domain_name)
  if (domains.length === 0) return
  try {
    await host.webServer.purge({ domains })
  } catch (error) {
    log.warn('pages of an application were not purged', { domains, error: String(error) })
  }
}
