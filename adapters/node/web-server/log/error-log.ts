import type { Log } from '#handlers/ports/log.ts'
import { escapeLogText } from './access-log.ts'
import type { LogBuffer } from './log-buffer.ts'

/** `domain` comes first: a visitor's text behind it cannot pass for it. */
const fieldsText = ({ domain, ...fields }: Record<string, unknown>): string =>
  Object.entries(domain === undefined ? fields : { domain, ...fields })
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('')

/**
 * Error log, one line per event: `2026-11-21T10:00:00.000Z [error] 1234: message key=value`.
 * Everything also goes to `also`, which the supervisor collects.
 */
export const createErrorLog = (buffer: LogBuffer, also: Log): Log => {
  const write = (level: string, message: string, fields: Record<string, unknown> = {}): void => {
    const text = escapeLogText(`${message}${fieldsText(fields)}`)
    buffer.append(`${new Date().toISOString()} [${level}] ${process.pid}: ${text}\n`)
  }
  return {
    info: (message, fields) => {
      write('info', message, fields)
      also.info(message, fields)
    },
    warn: (message, fields) => {
      write('warn', message, fields)
      also.warn(message, fields)
    },
    error: (message, fields) => {
      write('error', message, fields)
      also.error(message, fields)
    },
  }
}
