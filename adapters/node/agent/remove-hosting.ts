import { randomUUID } from 'node:crypto'
import type { CertificatesService } from './certificates/certificates-port.ts'
import type { DatabasesPort } from '#handlers/ports/host/databases.ts'
import type { WebServerPort } from '#handlers/ports/host/web-server.ts'
import type { DnsService } from './certificates/dns/dns-service.ts'
import type { Registry } from './registry/types.ts'

interface RemoveHostingDeps {
  registry: Pick<Registry, 'databasesOf' | 'vhostsOf' | 'certificatesOf' | 'putDatabaseAddresses'>
  applications: { removeAccount(username: string): Promise<void> }
  databases: Pick<DatabasesPort, 'remove'>
  webServer: Pick<WebServerPort, 'apply'>
  certificates: Pick<CertificatesService, 'prune' | 'forgetOrders'>
  dns: Pick<DnsService, 'forget'>
  forgetExports: (username: string) => Promise<void>
}

/**
 * Removes what an account that goes still has in applications, databases, virtual hosts,
 * certificates and access to zones: of the first two usually nothing, since the
 * panel removed them before.
 */
export const createRemoveHosting =
  ({
    registry,
    applications,
    databases,
    webServer,
    certificates,
    dns,
    forgetExports,
  }: RemoveHostingDeps) =>
  async (username: string): Promise<void> => {
    await forgetExports(username)
    dns.forget(username)
    certificates.forgetOrders(username)
    await applications.removeAccount(username)
    for (const { engine, database, user } of registry.databasesOf(username)) {
      // A new id each time: the same names may have been removed before.
      const operationId = `users.remove.${randomUUID()}`
      await databases.remove({ operationId, username, engine, database, user })
    }
    registry.putDatabaseAddresses(username, [])
    const remove = registry.vhostsOf(username).map(({ domain }) => domain)
    if (remove.length > 0) await webServer.apply({ put: [], remove })
    for (const domain of registry.certificatesOf(username))
      await certificates.prune({ username, domain, keep: null })
  }
