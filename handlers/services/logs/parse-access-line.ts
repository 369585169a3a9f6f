import type { LogEntry } from './log-entry.ts'
import { plainEntry } from './log-entry.ts'
import { unescapeText, visibleText } from './escaped-text.ts'

const LINE =
  /^(\S{1,64}) \S+ \S+ \[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) \+0000\] "([^"]*)" (\d{3}) (\d{1,16}) "([^"]*)" "([^"]*)" (\S+) (\S+) (\d{1,10}\.\d{1,6})$/
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const levelOf = (status: number): LogEntry['level'] =>
  status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info'

const unlessDash = (text: string): string | null => (text === '-' ? null : unescapeText(text))

/**
 * Host of a line of the access log without looking at the rest; null: it has
 * none. What a client wrote stands in quotes that it cannot end, so the third
 * word from the end is the host.
 */
export const hostOfAccessLine = (line: string): string | null => {
  const quote = line.lastIndexOf('" ')
  if (quote < 0) return null
  const end = line.indexOf(' ', quote + 2)
  return end < 0 ? null : line.slice(quote + 2, end)
}

/** A line as `AccessLog` writes it: combined format, host, cache status, seconds. */
export const parseAccessLine = (line: string): LogEntry => {
  const match = LINE.exec(line)
  if (match === null) return plainEntry(visibleText(line), 'info')
  const [, client, day, month, year, hour, minute, second, request, ...rest] = match as unknown as [
    string,
    ...string[],
  ]
  const [status, bytes, referer, userAgent, host, cache, duration] = rest
  const words = (request ?? '').split(' ')
  const method = words[0] ?? ''
  const protocol = words.length > 2 ? words.at(-1) : undefined
  const path = words.slice(1, protocol === undefined ? undefined : -1).join(' ')
  const code = Number(status)
  const date = [Number(year), MONTHS.indexOf(month ?? ''), Number(day)] as const
  return {
    timeMs: Date.UTC(...date, Number(hour), Number(minute), Number(second)),
    level: levelOf(code),
    domain: host === '-' ? null : (host ?? null),
    status: code,
    method: unescapeText(method),
    path: unescapeText(path),
    client: client ?? null,
    bytes: Number(bytes),
    durationMs: Math.round(Number(duration) * 1000),
    cache: cache === '-' ? null : (cache ?? null),
    referer: unlessDash(referer ?? '-'),
    userAgent: unlessDash(userAgent ?? '-'),
    message: unescapeText(request ?? ''),
  }
}
