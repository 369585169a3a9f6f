import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { createAskAgent } from './ask-agent.ts'
import type { EnsureApplication } from './proxy/wake-application.ts'

/** A visitor waits no longer for an application that was asleep. */
const TIMEOUT_MS = 30_000

/**
 * Has the agent start an application of a virtual host, which is asked by their names and nothing
 * else; what it is, and whether it belongs there, the agent's own records say. Rejects with what the agent says, or after
 * half a minute, while the start goes on.
 */
export const createEnsureApplication = (config: ServerConfig): EnsureApplication => {
  const ask = createAskAgent(config, { timeoutMs: TIMEOUT_MS })
  return async ({ domain, application }) => {
    const { ok, status, text } = await ask('/app/ensure', { domain, application })
    if (!ok) throw new Error(`${status} ${text.slice(0, 300)}`)
  }
}
