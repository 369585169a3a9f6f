import { hostNamed } from '../on-hosts/host-named.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import { timestampMs } from '../../domain/text/timestamp.ts'
import { inSlices, type SlicedWork } from '../../../edge-cache/index.ts'
import { wwwAlias } from '../../domain/domains/domain-name.ts'
import { visibleText } from './escaped-text.ts'
import { maskSecrets } from './mask-secrets.ts'
import { parseLogLine } from './parse-log-line.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { notFound } from '../../errors.ts'
import type { LogFile, LogFilter, LogLevel, LogPlace, LogRecord } from '../../ports/host/logs.ts'
import type { ListQuery } from '../../ports/store/list-query.ts'
import type { DomainRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Whose lines may be seen; without an account everybody's. */
export type LogViewer = Pick<ListQuery, 'accountId' | 'resellerId'> & {
  /** Whose log it is, for those who see everything; default: the panel's own machine, or the domain's. */
  host?: string | undefined
}

/** A search as it was asked for; `domain` is not yet known to be the viewer's. */
export type LogSearch = Omit<LogFilter, 'hosts'> & { domain: string | null }

/** A log that can be read. */
export interface LogSource {
  source: LogFile
  /** Null for those who see only a part of it. */
  size_bytes: number | null
}

/** A line as it is shown: secrets masked, everything invisible written out. */
export interface LogLine {
  id: string
  time: string | null
  level: LogLevel
  domain: string | null
  status: number | null
  method: string | null
  path: string | null
  client: string | null
  bytes: number | null
  duration_ms: number | null
  cache: string | null
  referer: string | null
  user_agent: string | null
  message: string
  raw: string
  cut: boolean
}

/** As `LogPage`, of lines as they are shown. */
export interface LogLines {
  lines: LogLine[]
  next: LogPlace | null
  truncated: boolean
  end: LogPlace
}

/** What came since, and where to go on. */
export interface LogNews {
  lines: LogLine[]
  after: LogPlace
  more: boolean
  skipped: boolean
}

/** Logs of which accounts may see their own part. */
export const ACCOUNT_LOGS: readonly LogFile[] = ['access', 'error', 'php']

/** The logs of the host; an account sees the lines of its sites alone. */
export interface Logs {
  /** Those that the viewer may read. */
  sources(viewer: LogViewer): Promise<LogSource[]>
  /** Throws 404 for a domain that is not the viewer's. */
  assertVisible(viewer: LogViewer, domain: string | null): Promise<void>
  /** 404 for a domain that is not the viewer's. */
  read(
    viewer: LogViewer,
    source: LogFile,
    search: LogSearch,
    page: { before: LogPlace | null; lines: number },
  ): Promise<LogLines>
  /** Where the log ends, or `bytesBack` before that. */
  place(
    viewer: LogViewer,
    domain: string | null,
    source: LogFile,
    bytesBack?: number,
  ): Promise<LogPlace>
  /** As `read`, for what comes after a place. */
  follow(
    viewer: LogViewer,
    source: LogFile,
    search: LogSearch,
    from: { after: LogPlace; lines: number; maxLagBytes: number | null },
  ): Promise<LogNews>
}

const lineOf =
  (source: LogFile) =>
  ({ id, text, cut }: LogRecord): LogLine => {
    const shown = maskSecrets(text)
    const { timeMs, durationMs, userAgent, ...entry } = parseLogLine(source, shown)
    return {
      id,
      time: timeMs === null ? null : timestamp(timeMs),
      ...entry,
      duration_ms: durationMs,
      user_agent: userAgent,
      raw: visibleText(shown),
      cut,
    }
  }

/** Characters of lines that are made ready before others have their turn: some 20 ms at the worst. */
const SHOWN_AT_ONCE = 64 * 1024
/** What a line costs beside its characters. */
const LINE = 128

function* shown(source: LogFile, records: readonly LogRecord[]): SlicedWork<LogLine[]> {
  const show = lineOf(source)
  const lines: LogLine[] = []
  for (const record of records) {
    lines.push(show(record))
    yield record.text.length + LINE
  }
  return lines
}

/** Lines as they are shown; programs of accounts write what they like into them. */
const showLines = (source: LogFile, records: readonly LogRecord[]): Promise<LogLine[]> =>
  inSlices(shown(source, records), SHOWN_AT_ONCE)

const sinceMs = ({ created_at }: DomainRow): number => timestampMs(created_at)

const namesOf = ({ domain_name, domain_type }: DomainRow): string[] => {
  const www = domain_type === 'primary' || domain_type === 'addon' ? wwwAlias(domain_name) : null
  return www === null ? [domain_name] : [domain_name, www]
}

export const createLogs = ({ store, host }: Pick<ServiceDeps, 'store' | 'host'>): Logs => {
  /**
   * The names whose lines may be seen, asked for anew each time: a domain may have
   * changed hands. Before a domain was created its lines were somebody else's.
   */
  const hostsFor = async (
    viewer: LogViewer,
    domain: string | null,
  ): Promise<LogFilter['hosts']> => {
    if (viewer.accountId === undefined) {
      if (domain === null) return null
      const www = wwwAlias(domain)
      return [domain, ...(www === null ? [] : [www])].map((name) => ({ name, sinceMs: 0 }))
    }
    const { rows } = await store.listDomains(viewer)
    const own = domain === null ? rows : rows.filter((row) => row.domain_name === domain)
    if (domain !== null && own.length === 0) {
      throw notFound('Domain not found. List the domains to see which there are.')
    }
    return own.flatMap((row) => namesOf(row).map((name) => ({ name, sinceMs: sinceMs(row) })))
  }
  const filterFor = async (
    viewer: LogViewer,
    { domain, ...search }: LogSearch,
  ): Promise<LogFilter> => ({ ...search, hosts: await hostsFor(viewer, domain) })

  /** Of one account or one domain its host's; else that of the panel's own machine. */
  const hostFor = async (
    { accountId, resellerId, host: name }: LogViewer,
    domain: string | null,
  ): Promise<HostPorts> => {
    const account = accountId === undefined ? null : await store.accountById(accountId)
    if (account !== null) return host.of(account.host_id)
    if (name !== undefined && accountId === undefined && resellerId === undefined)
      return host.of(await hostNamed({ store }, name))
    const hostId = domain === null ? null : await store.hostOfDomain(domain)
    return host.of(hostId ?? LOCAL_HOST)
  }

  return {
    async sources(viewer) {
      const files = await (await hostFor(viewer, null)).logs.list()
      return viewer.accountId === undefined
        ? files.map(({ file, sizeBytes }) => ({ source: file, size_bytes: sizeBytes }))
        : ACCOUNT_LOGS.map((source) => ({ source, size_bytes: null }))
    },
    async assertVisible(viewer, domain) {
      await hostsFor(viewer, domain)
    },
    async read(viewer, source, search, page) {
      const filter = await filterFor(viewer, search)
      const { records, ...rest } = await (
        await hostFor(viewer, search.domain)
      ).logs.read({ file: source, filter, ...page })
      return { lines: await showLines(source, records), ...rest }
    },
    place: async (viewer, domain, source, bytesBack = 0) =>
      (await hostFor(viewer, domain)).logs.place({ file: source, bytesBack }),
    async follow(viewer, source, search, from) {
      const filter = await filterFor(viewer, search)
      const { records, ...rest } = await (
        await hostFor(viewer, search.domain)
      ).logs.follow({ file: source, filter, ...from })
      return { lines: await showLines(source, records), ...rest }
    },
  }
}
