import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { unixFetch } from '../process/unix-fetch.ts'
import type { EnsurePhp, PhpBackend } from '../php-backends/backends.ts'

/**
 * How long a request waits for an agent that is not there: it is being started again,
 * which takes two seconds, and several times that on a machine that is busy.
 */
const ABSENT_MS = 15_000
/** Pause between two tries. */
const RETRY_MS = 100
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
    protocol: 'protocol' in data && data.protocol === 'lsapi' ? 'lsapi' : 'fastcgi',
  }
}

/** Whether nobody listens, or whoever did has ended. */
const isAbsent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { cause } = error
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ECONNRESET' || code === 'EPIPE'
}

const askPatiently = async (ask: () => Promise<Response>, absentMs: number): Promise<Response> => {
  const deadlineMs = performance.now() + absentMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isAbsent(error) || performance.now() + RETRY_MS > deadlineMs) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/**
 * Makes sure that the PHP backend of a virtual host runs: the socket that a
 * hand-written host names, else what the agent answers, who decides by its own
 * records alone; a socket so named takes no settings of directories. An agent that is not there, or ends before it answered, is
 * asked again for `absentMs`, default 15000: asking twice is the same as asking
 * once. Rejects when there is no backend. Remembers nothing.
 */
export const createEnsurePhp = (
  config: ServerConfig,
  hosts: () => VirtualHostTable,
  absentMs = ABSENT_MS,
): EnsurePhp => {
  const ask = unixFetch(join(config.paths.run_dir, 'agent-web.sock'), {
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  })
  return async (domain, ini) => {
    const host = hosts().find(domain)
    const socket = host?.php.socket ?? null
    if (host !== null && socket !== null) {
      const protocol = host.php.mode === 'lsapi' ? 'lsapi' : 'fastcgi'
      return { socket, uid: host.uid, protocol }
    }
    const answer = await askPatiently(
      () =>
        ask(
          new Request('http://agent/php/ensure', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(ini === undefined ? { domain } : { domain, ini }),
          }),
        ),
      absentMs,
    )
    const text = await answer.text()
    const backend = answer.ok ? readBackend(JSON.parse(text)) : null
    if (backend !== null) return backend
    throw new Error(`The agent has no PHP for ${domain}: ${answer.status} ${text.slice(0, 300)}`)
  }
}
