import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import type { VirtualHostTable } from '#handlers/sites/virtual-host-table.ts'
import { unixFetch } from '../process/unix-fetch.ts'
import type { PhpBackend } from './fastcgi/backends.ts'

/** The agent starts a master and waits until it listens. */
const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 65_536

const readBackend = (value: unknown): PhpBackend | null => {
  if (typeof value !== 'object' || value === null || !('data' in value)) return null
  const { data } = value
  if (typeof data !== 'object' || data === null || !('socket' in data)) return null
  if (typeof data.socket !== 'string') return null
  return {
    socket: data.socket,
    uid: 'uid' in data && typeof data.uid === 'number' ? data.uid : null,
  }
}

/**
 * Makes sure that the PHP backend of a virtual host runs: the socket that a
 * hand-written host names, else what the agent answers, who decides by its own
 * records alone. Rejects when there is none. Remembers nothing.
 */
export const createEnsurePhp = (
  config: ServerConfig,
  hosts: () => VirtualHostTable,
): ((domain: string) => Promise<PhpBackend>) => {
  const ask = unixFetch(join(config.paths.run_dir, 'agent-web.sock'), {
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  })
  return async (domain) => {
    const host = hosts().find(domain)
    const socket = host?.php.socket ?? null
    if (host !== null && socket !== null) return { socket, uid: host.uid }
    const answer = await ask(
      new Request('http://agent/php/ensure', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ domain }),
      }),
    )
    const text = await answer.text()
    const backend = answer.ok ? readBackend(JSON.parse(text)) : null
    if (backend !== null) return backend
    throw new Error(`The agent has no PHP for ${domain}: ${answer.status} ${text.slice(0, 300)}`)
  }
}
