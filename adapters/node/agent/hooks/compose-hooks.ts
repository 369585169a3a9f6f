import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { HooksPort } from '#handlers/ports/host/hooks.ts'
import { findUser } from '../../process/identities.ts'
import { createHooksLog } from './hooks-log.ts'
import { createHooksPort } from './hooks-port.ts'

/**
 * The hooks of a configuration. The user is looked up at every event, since it
 * may be made after the agent started; without it nothing is run.
 */
export const composeHooks = ({ hooks, paths }: ServerConfig, asRoot: boolean): HooksPort => {
  const log = createHooksLog(paths.log_dir)
  const base = {
    directory: hooks.directory,
    timeoutMs: hooks.timeout * 1000,
    atOnce: hooks.at_once,
    log,
  }
  if (!asRoot) return createHooksPort({ ...base, runAs: null })
  const ports = new Map<number, HooksPort>()
  return {
    run(input) {
      const user = findUser(hooks.run_as)
      if (user === null) {
        log.error('hooks cannot run', {
          event: input.event,
          reason: `there is no system user ${hooks.run_as} ([hooks] run_as)`,
        })
        return Promise.resolve({ ran: 0, failed: [] })
      }
      const port = ports.get(user.uid) ?? createHooksPort({ ...base, runAs: user })
      ports.set(user.uid, port)
      return port.run(input)
    },
  }
}
