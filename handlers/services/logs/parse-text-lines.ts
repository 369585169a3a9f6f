import type { LogLevel } from '../../ports/host/logs.ts'
import { unescapeText, visibleText } from './escaped-text.ts'
import type { LogEntry } from './log-entry.ts'
import { plainEntry } from './log-entry.ts'

const ISO = String.raw`(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)`
const ERROR_LINE = new RegExp(String.raw`^${ISO} \[(info|warn|error)\] \d+: (.*)$`, 's')
const PHP_LINE = new RegExp(String.raw`^${ISO} ([a-z0-9._-]{1,253}): (.*)$`, 's')
/** The web server writes a line's domain as its first field: what stands behind it may be a visitor's text. */
const FIRST_FIELD = /^[^=]*? domain=([a-z0-9._-]{1,253})(?: |$)/

/** A line of the web server's error log, as `createErrorLog` writes it. */
export const parseErrorLine = (line: string): LogEntry => {
  const match = ERROR_LINE.exec(line)
  if (match === null) return plainEntry(unescapeText(line), 'error')
  const [, time = '', level = 'error', text = ''] = match
  return {
    ...plainEntry(unescapeText(text), level as LogLevel),
    timeMs: Date.parse(time),
    domain: FIRST_FIELD.exec(text)?.[1] ?? null,
  }
}

const phpLevel = (message: string): LogLevel => {
  if (/PHP (?:Fatal|Parse|Core|Compile|Recoverable)(?: fatal)? error/i.test(message)) return 'error'
  if (/PHP (?:User )?Warning|PHP (?:Core|Compile) Warning/i.test(message)) return 'warn'
  return /PHP (?:User )?(?:Notice|Deprecated|Strict)/i.test(message) ? 'debug' : 'info'
}

/** A line of what scripts wrote to their standard error, as `createPhpErrorLog` writes it. */
export const parsePhpLine = (line: string): LogEntry => {
  const match = PHP_LINE.exec(line)
  if (match === null) return plainEntry(unescapeText(line), 'error')
  const [, time = '', domain = '', text = ''] = match
  const message = unescapeText(text)
  return { ...plainEntry(message, phpLevel(message)), timeMs: Date.parse(time), domain }
}

/** Levels of pino. */
const pinoLevel = (level: unknown): LogLevel =>
  typeof level !== 'number' || level >= 50
    ? 'error'
    : level >= 40
      ? 'warn'
      : level >= 30
        ? 'info'
        : 'debug'

const UNSHOWN = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg'])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectOf = (line: string): Record<string, unknown> | null => {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** A line of a process of ours: JSON as pino writes it, or anything else, such as a part of a stack trace. */
export const parseJsonLine = (line: string): LogEntry => {
  const entry = objectOf(line)
  if (entry === null) return plainEntry(visibleText(line), 'error')
  const fields = Object.entries(entry)
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const { msg, time, level, domain } = entry
  return {
    ...plainEntry(
      visibleText(`${typeof msg === 'string' ? msg : ''}${fields.join('')}`.trimStart()),
      pinoLevel(level),
    ),
    timeMs: typeof time === 'number' && Math.abs(time) < 8.64e15 ? time : null,
    domain: typeof domain === 'string' ? visibleText(domain) : null,
  }
}
