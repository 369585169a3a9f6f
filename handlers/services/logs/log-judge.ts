import { wildcardOf } from '../../domain/domains/wildcard-name.ts'
import type { LogFile, LogFilter } from '../../ports/host/logs.ts'
import { LOG_LEVELS } from '../../ports/host/logs.ts'
import { unescapeText } from './escaped-text.ts'
import type { LogEntry } from './log-entry.ts'
import { maskSecrets } from './mask-secrets.ts'
import { hostOfAccessLine } from './parse-access-line.ts'
import { parseLogLine } from './parse-log-line.ts'

/** Lines of several processes are in order but for so much. */
const DISORDER_MS = 60_000
const TIME_EVERY = 128

/** `early`: not wanted, and neither is anything that stands before it. */
export type Verdict = 'wanted' | 'unwanted' | 'early'

/** Statuses from and up to, of `404` or `4xx`. */
const statusRange = (status: string): readonly [number, number] =>
  status.endsWith('xx')
    ? [Number(status[0]) * 100, Number(status[0]) * 100 + 99]
    : [Number(status), Number(status)]

/** Judges lines by a filter, what is cheap first: most lines of a log are other hosts'. */
export const logJudge = (file: LogFile, filter: LogFilter): ((line: string) => Verdict) => {
  const hosts = filter.hosts && new Map(filter.hosts.map(({ name, sinceMs }) => [name, sinceMs]))
  /** Of a name, or of the wildcard that it is one of. */
  const sinceOf = (name: string): number | undefined =>
    hosts?.get(name) ?? hosts?.get(wildcardOf(name))
  const needle = filter.q?.toLowerCase() ?? ''
  const [statusFrom, statusTo] = filter.status === null ? [0, 999] : statusRange(filter.status)
  const level = filter.level === null ? 0 : LOG_LEVELS.indexOf(filter.level)
  const timed = filter.fromMs !== null || filter.toMs !== null
  const starts = hosts === null ? [] : [...hosts.values()]
  const earliest = Math.max(
    filter.fromMs ?? -Infinity,
    hosts === null ? -Infinity : Math.min(Infinity, ...starts),
  )
  const plain = hosts === null && !timed && level === 0 && filter.status === null && !filter.method

  const ofHost = ({ domain, timeMs }: LogEntry): boolean => {
    if (hosts === null) return true
    const sinceMs = domain === null ? undefined : sinceOf(domain)
    return sinceMs !== undefined && timeMs !== null && timeMs >= sinceMs
  }
  const inTime = ({ timeMs }: LogEntry): boolean =>
    !timed ||
    (timeMs !== null &&
      timeMs >= (filter.fromMs ?? -Infinity) &&
      timeMs < (filter.toMs ?? Infinity))
  const found = (line: string): boolean => {
    if (needle === '') return true
    // What is masked must not be found out by searching for it.
    const shown = maskSecrets(line)
    return (
      shown.toLowerCase().includes(needle) ||
      (shown.includes('\\x') && unescapeText(shown).toLowerCase().includes(needle))
    )
  }

  let foreign = 0
  return (line) => {
    if (plain) return found(line) ? 'wanted' : 'unwanted'
    if (hosts !== null && file === 'access') {
      const host = hostOfAccessLine(line)
      // The time is looked at now and then, to notice that the rest is too old.
      const known = host !== null && sinceOf(host) !== undefined
      if (!known && (earliest === -Infinity || ++foreign % TIME_EVERY !== 0)) return 'unwanted'
    }
    const entry = parseLogLine(file, line)
    if (entry.timeMs !== null && entry.timeMs < earliest - DISORDER_MS) return 'early'
    const { status, method } = entry
    const wanted =
      ofHost(entry) &&
      inTime(entry) &&
      LOG_LEVELS.indexOf(entry.level) >= level &&
      (filter.status === null || (status !== null && status >= statusFrom && status <= statusTo)) &&
      (filter.method === null || method === filter.method) &&
      found(line)
    return wanted ? 'wanted' : 'unwanted'
  }
}
