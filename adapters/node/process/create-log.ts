import { pino } from 'pino'
import type { Log } from '#handlers/ports/log.ts'

/** JSON lines on standard error; the supervisor collects them into the log directory. */
export const createLog = (name: string): Log => {
  const logger = pino(
    { name, level: process.env['BERTH_LOG_LEVEL'] ?? 'info' },
    pino.destination(2),
  )
  return {
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  }
}
