import {
  addCounters,
  createCookieMemory,
  type PageCacheCounters,
  type Purge,
  type PurgeScope,
  type SiteCookies,
  type StoreStats,
} from '#edge-cache/index.ts'

/** How long an isolate may show stored pages after it asked for news, in milliseconds. */
export const LEASE_MS = 1000
/** Clocks of two machines that run a little differently, or are set meanwhile. */
const SLACK_MS = 250
/** Purges that are kept one by one; beyond it the older half becomes one purge of everything. */
const MAX_PURGES = 4096
/** Of all their scopes as text. */
const MAX_CHARS = 2 ** 22
/** An isolate that asked for nothing so long is taken for ended. */
const GONE_MS = 60_000

/** Where purges and names of cookies outlive the authority. All of it is durable before anybody is answered. */
export interface MarkLog {
  /** Names this history of numbers. */
  epoch(): string
  /** Oldest first. */
  purges(): Purge[]
  append(purge: Purge): void
  /** Puts one purge of everything, under the number given, in the place of all up to it. */
  shorten(until: Purge): void
  cookies(): Record<string, SiteCookies>
  keepCookies(site: string, known: SiteCookies): void
}

/** What an isolate says of itself when it asks for news. */
export interface FrontReport {
  /** Its name; no other has it. */
  front: string
  /** The history that it knows, and the number of its youngest purge; '' and 0 where it knows nothing. */
  epoch: string
  known: number
  /** How many changes of learned cookies it knows. */
  cookies: number
  counters: PageCacheCounters
  l1: StoreStats | null
}

/** What an isolate is told. */
export interface News {
  epoch: string
  sequence: number
  /** What it does not know, oldest first. */
  purges: Purge[]
  /** Names by which sites tell visitors apart; absent where it knows them. */
  cookies?: { changes: number; sites: Record<string, SiteCookies> }
}

/** Sums over all isolates, those that ended included, since the authority was started. */
export interface FrontSums {
  counters: PageCacheCounters
  l1: StoreStats | null
  fronts: number
  purges: number
  startedMs: number
}

interface Front {
  /** Until when it may show what it knows; wall clock. */
  untilMs: number
  seenMs: number
  counters: PageCacheCounters
  l1: StoreStats | null
}

/** See `createPurgeAuthority`. */
export interface PurgeAuthority {
  /** News, and with them the leave to show stored pages for `LEASE_MS` from the moment of asking. */
  glance(report: FrontReport): News
  /** Settles when no isolate shows any more what the purge hits; the one that asks applies the news before it says so. */
  purge(report: FrontReport, scopes: readonly PurgeScope[]): Promise<News>
  /** Settles when every isolate knows the names. */
  learn(report: FrontReport, site: string, names: readonly string[]): Promise<News>
  sums(): FrontSums
}

const charsOf = ({ scopes }: Purge): number => JSON.stringify(scopes).length
const isAll = ({ scopes }: Purge): boolean =>
  scopes.some(({ kind, soft }) => kind === 'all' && soft !== true)

const addStats = (all: readonly (StoreStats | null)[]): StoreStats | null => {
  const present = all.filter((one) => one !== null)
  if (present.length === 0) return null
  const sum = { entries: 0, bytes: 0, limitBytes: 0, evictions: 0 }
  for (const one of present)
    for (const key of ['entries', 'bytes', 'limitBytes', 'evictions'] as const) sum[key] += one[key]
  return sum
}

/**
 * The one place that numbers purges for all isolates of all data centres. Isolates cannot be
 * called, so nothing is sent to them: each shows stored pages only for `LEASE_MS` after it asked
 * for news, and a purge is done once the leave of everybody who asked before it has ended.
 */
export const createPurgeAuthority = (deps: {
  log: MarkLog
  /** Wall clock, milliseconds. */
  nowMs(): number
  wait(ms: number): Promise<void>
}): PurgeAuthority => {
  const { log, nowMs } = deps
  const epoch = log.epoch()
  const purges = log.purges()
  let chars = purges.reduce((sum, purge) => sum + charsOf(purge), 0)
  let sequence = purges.at(-1)?.sequence ?? 0
  const startedMs = nowMs()
  const fronts = new Map<string, Front>()
  let former: PageCacheCounters = addCounters([])
  const cookies = createCookieMemory(log.cookies())
  // From the clock, so that a later start does not count what an isolate knows already as known.
  let cookieChanges = startedMs

  const forgetGone = (): void => {
    const now = nowMs()
    for (const [name, one] of fronts) {
      if (one.seenMs > now - GONE_MS || one.untilMs > now) continue
      former = addCounters([former, one.counters])
      fronts.delete(name)
    }
  }
  const shorten = (): void => {
    const half = purges[Math.ceil(purges.length / 2) - 1]
    if (half === undefined) return
    const floor: Purge = { ...half, scopes: [{ kind: 'all' }] }
    log.shorten(floor)
    purges.splice(0, Math.ceil(purges.length / 2), floor)
    chars = purges.reduce((sum, purge) => sum + charsOf(purge), 0)
  }
  const keep = (purge: Purge): void => {
    if (isAll(purge)) {
      log.shorten(purge)
      purges.length = 0
      chars = 0
    } else log.append(purge)
    purges.push(purge)
    chars += charsOf(purge)
    while (purges.length > 1 && (purges.length > MAX_PURGES || chars > MAX_CHARS)) shorten()
  }
  const newsFor = ({ epoch: theirs, known, cookies: knows }: FrontReport): News => ({
    epoch,
    sequence,
    purges: theirs === epoch ? purges.filter((purge) => purge.sequence > known) : [...purges],
    ...(theirs === epoch && knows === cookieChanges
      ? {}
      : { cookies: { changes: cookieChanges, sites: cookies.all() } }),
  })
  /** Until the leave of all others has ended that were told before now. */
  const othersEnded = async (front: string): Promise<void> => {
    const now = nowMs()
    // Whom a former instance of this one gave leave is not known.
    let untilMs = startedMs + LEASE_MS
    for (const [name, one] of fronts) if (name !== front) untilMs = Math.max(untilMs, one.untilMs)
    // No leave is longer, also where the clock was set back meanwhile.
    const leftMs = Math.min(untilMs - now, LEASE_MS) + SLACK_MS
    if (leftMs > 0) await deps.wait(leftMs)
  }

  return {
    glance(report) {
      const now = nowMs()
      forgetGone()
      fronts.set(report.front, {
        ...{ untilMs: now + LEASE_MS, seenMs: now, counters: report.counters, l1: report.l1 },
      })
      return newsFor(report)
    },
    async purge(report, scopes) {
      keep({ sequence: ++sequence, scopes, atMs: nowMs() })
      await othersEnded(report.front)
      return newsFor(report)
    },
    async learn(report, site, names) {
      if (cookies.learn(site, names, nowMs())) {
        cookieChanges++
        log.keepCookies(site, cookies.get(site))
        await othersEnded(report.front)
      }
      return newsFor(report)
    },
    sums() {
      forgetGone()
      const all = [...fronts.values()]
      return {
        counters: addCounters([former, ...all.map(({ counters }) => counters)]),
        l1: addStats(all.map(({ l1 }) => l1)),
        fronts: fronts.size,
        purges: sequence,
        startedMs,
      }
    },
  }
}
