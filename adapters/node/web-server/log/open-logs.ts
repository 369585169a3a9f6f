import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { HttpClock } from '../http1/http-clock.ts'
import { AccessLog } from './access-log.ts'
import { createErrorLog } from './error-log.ts'
import { LogBuffer } from './log-buffer.ts'

export interface WebLogs {
  access: AccessLog
  log: Log
  reopen(): void
  /** Resolves when everything is on the disk. */
  close(): Promise<void>
}

/**
 * Opens `access.log` and `error.log` in `<log_dir>/web`, the one directory there
 * that the web server may write to. Throws when they cannot be opened. `also`
 * gets what goes to the error log.
 */
export const openLogs = (
  config: ServerConfig,
  clock: HttpClock,
  also: Log,
  options: { access: boolean },
): WebLogs => {
  const directory = join(config.paths.log_dir, 'web')
  mkdirSync(directory, { recursive: true, mode: 0o750 })
  const onError = (error: Error): void =>
    also.error('a log cannot be written', { error: error.message })
  const errors = new LogBuffer(join(directory, 'error.log'), onError)
  const wanted = options.access && config.server.access_log
  const access = new AccessLog(
    clock,
    wanted ? new LogBuffer(join(directory, 'access.log'), onError) : null,
  )
  return {
    access,
    log: createErrorLog(errors, also),
    reopen: () => {
      errors.reopen()
      access.reopen()
    },
    close: async () => {
      await access.close()
      await errors.close()
    },
  }
}
