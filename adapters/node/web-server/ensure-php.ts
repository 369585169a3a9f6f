import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import type { EnsurePhp, PhpBackend } from '../php-backends/backends.ts'
import { createAskAgent } from './ask-agent.ts'

/** The agent starts a master and waits until it listens. */
const TIMEOUT_MS = 15_000

const readBackend = (value: unknown): PhpBackend | null => {
  if (typeof value !== 'object' || value === null || !('data' in value)) return null
  const { data } = value
  if (typeof data !== 'object' || data === null || !('socket' in data)) return null
  if (typeof data.socket !== 'string') return null
  return {
    socket: data.socket,
    uid: 'uid' in data && typeof data.uid === 'number' ? data.uid : null,
    protocol: 'protocol' in data && data.protocol === 'lsapi' ? 'lsapi' : 'fastcgi',
  }
}

/**
 * Makes sure that the PHP backend of a virtual host runs: the socket that a
 * hand-written host names, else what the agent answers, who decides by its own
 * records alone; a socket so named takes no settings of directories. An agent that is not there
 * is waited for, see `createAskAgent`. Rejects when there is no backend. Remembers nothing.
 */
export const createEnsurePhp = (
  config: ServerConfig,
  hosts: () => VirtualHostTable,
  absentMs?: number,
): EnsurePhp => {
  const ask = createAskAgent(config, { timeoutMs: TIMEOUT_MS, absentMs })
  return async (domain, ini) => {
    const host = hosts().find(domain)
    const socket = host?.php.socket ?? null
    if (host !== null && socket !== null) {
      const protocol = host.php.mode === 'lsapi' ? 'lsapi' : 'fastcgi'
      return { socket, uid: host.uid, protocol }
    }
    const { ok, status, text } = await ask(
      '/php/ensure',
      ini === undefined ? { domain } : { domain, ini },
    )
    const backend = ok ? readBackend(JSON.parse(text)) : null
    if (backend !== null) return backend
    throw new Error(`The agent has no PHP for ${domain}: ${status} ${text.slice(0, 300)}`)
  }
}
