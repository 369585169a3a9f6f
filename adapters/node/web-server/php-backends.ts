import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import type { VirtualHostTable } from '#handlers/sites/virtual-host-table.ts'
import {
  createPhpEnsureClient,
  type PhpBackend,
  type PhpEnsureClient,
} from './php-ensure-client.ts'

/**
 * Backends of virtual hosts: the socket a hand-written host names, else what
 * the agent answers.
 */
export const createPhpBackends = (
  config: ServerConfig,
  hosts: () => VirtualHostTable,
): PhpEnsureClient => {
  const agent = createPhpEnsureClient(join(config.paths.run_dir, 'agent-web.sock'))
  return {
    ensure: async (domain): Promise<PhpBackend> => {
      const host = hosts().find(domain)
      const socket = host?.php.socket ?? null
      if (host !== null && socket !== null) return { socket, uid: host.uid }
      return agent.ensure(domain)
    },
    forget: agent.forget,
  }
}
