import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { FiguresMeter } from '../figures/figures-meter.ts'
import type { HttpClock } from '../http1/http-clock.ts'
import { AccessLog } from './access-log.ts'
import { createErrorLog } from './error-log.ts'
import { LogBuffer } from './log-buffer.ts'
import { createPhpErrorLog } from './php-error-log.ts'
import type { PhpErrorLog } from './php-error-log.ts'

/** From this size on, an error log is put aside as `.1`. */
const ROTATE_BYTES = 64 * 2 ** 20

export interface WebLogs {
  access: AccessLog
  log: Log
  /** Null in a process that answers no requests. */
  php: PhpErrorLog | null
  reopen(): void
  /** Resolves when everything is on the disk. */
  close(): Promise<void>
}

/**
 * Opens `access.log`, `php_error.log` and `error.log` in `<log_dir>/web`, the one directory there
 * that the web server may write to. Throws when they cannot be opened. `also`
 * gets what goes to the error log; `count` the bytes of every response, `figures` all
 * that owners are shown of it.
 */
export const openLogs = (
  config: ServerConfig,
  clock: HttpClock,
  also: Log,
  options: {
    access: boolean
    count?: (host: string, bytes: number) => void
    figures?: FiguresMeter
  },
): WebLogs => {
  const directory = join(config.paths.log_dir, 'web')
  mkdirSync(directory, { recursive: true, mode: 0o750 })
  const onError = (error: Error): void =>
    also.error('a log cannot be written', { error: error.message })
  const errors = new LogBuffer(join(directory, 'error.log'), onError, { maxBytes: ROTATE_BYTES })
  const phpErrors = options.access
    ? new LogBuffer(join(directory, 'php_error.log'), onError, { maxBytes: ROTATE_BYTES })
    : null
  const wanted = options.access && config.server.access_log
  const access = new AccessLog(
    clock,
    wanted ? new LogBuffer(join(directory, 'access.log'), onError) : null,
    options.count,
    options.figures,
  )
  return {
    access,
    log: createErrorLog(errors, also),
    php: phpErrors && createPhpErrorLog(phpErrors),
    reopen: () => {
      errors.reopen()
      phpErrors?.reopen()
      access.reopen()
    },
    close: async () => {
      await access.close()
      await phpErrors?.close()
      await errors.close()
    },
  }
}
