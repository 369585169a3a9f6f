import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { isAppError } from '#handlers/errors.ts'
import { unixFetch } from '../process/unix-fetch.ts'
import { ServiceError } from './service-error.ts'

const USUAL_SECS = 120
/** New workers may have to start, and a killed one be replaced. */
const STARTS = 2

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/**
 * Has every process take up the configuration, and asks the web server what came
 * of it: the number of virtual hosts that all workers serve now. `signal` is how
 * the supervisor is told. Connections and requests under way go on.
 */
export const reloadService = async (
  { paths, server }: Pick<ServerConfig, 'paths' | 'server'>,
  signal: () => Promise<void> | void,
): Promise<{ virtual_hosts: number }> => {
  await signal()
  const socket = join(paths.run_dir, 'web.sock')
  const ask = unixFetch(socket, {
    timeoutMs: Math.max(USUAL_SECS, STARTS * server.worker_start_secs) * 1000,
    unreachable: `Nothing answers at ${socket}.`,
  })
  for (let attempt = 0; ; attempt++)
    try {
      const response = await ask(new Request('http://web/reload', { method: 'POST' }))
      const answer: unknown = await response.json()
      const hosts = fieldOf(answer, 'virtual_hosts')
      if (response.ok && typeof hosts === 'number') return { virtual_hosts: hosts }
      throw new ServiceError(
        `The web server refused the configuration; the old one stays in force. ${String(fieldOf(answer, 'error') ?? '')}`,
      )
    } catch (error) {
      if (!isAppError(error)) throw error
      // A web server that just starts anew binds its socket in a moment.
      if (attempt >= 20) throw new ServiceError(error.message, { cause: error })
      await setTimeout(250)
    }
}
