import { randomUUID } from 'node:crypto'
import type { DatabasesPort } from '#handlers/ports/databases.ts'
import type { WebServerPort } from '#handlers/ports/web-server.ts'
import type { Registry } from './registry-types.ts'

/**
 * Removes what an account that goes still has in databases and virtual hosts,
 * by the registry: usually nothing, since the panel removed it before.
 */
export const createRemoveHosting =
  (
    registry: Pick<Registry, 'databasesOf' | 'vhostsOf'>,
    databases: Pick<DatabasesPort, 'remove'>,
    webServer: Pick<WebServerPort, 'apply'>,
  ) =>
  async (username: string): Promise<void> => {
    for (const { engine, database, user } of registry.databasesOf(username)) {
      // A new id each time: the same names may have been removed before.
      const operationId = `users.remove.${randomUUID()}`
      await databases.remove({ operationId, username, engine, database, user })
    }
    const remove = registry.vhostsOf(username).map(({ domain }) => domain)
    if (remove.length > 0) await webServer.apply({ put: [], remove })
  }
