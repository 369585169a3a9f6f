import type { UpstreamState } from '#handlers/management/upstream-state.ts'
import type {
  CacheKey,
  PageCacheCounters,
  PageDifference,
  Purge,
  PurgeMarkSnapshot,
  PurgeScope,
  SiteCookies,
  SiteObservations,
  StoreStats,
  WarmOutcome,
  WarmTarget,
} from '#edge-cache/index.ts'
import type { Effect } from '#handlers/domain/profiles/profile.ts'
import type { FiguresPart } from '#handlers/ports/host/figures.ts'
import type { SiteTest } from '#handlers/ports/host/web/site-test.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Explained } from '#handlers/sites/explain/explain-request.ts'
import type { UsedBySites } from '#handlers/sites/guard/request-meter.ts'
import type { PageFile } from '../cache/disk/disk-file.ts'
import type {
  ConnectionReport,
  ConnectionView,
  RefusedConnections,
} from '../connections/connection-messages.ts'
import type { CpuTimes } from '../cpu/cpu-meter.ts'
import type { DayKey } from '../figures/visitor-key.ts'
import type { EngineCounters } from '../http1/connection-services.ts'
import type { InheritedListener } from '../listeners.ts'
import type { HeldSite } from '../watchdog/stall-ledger.ts'
import type { TrafficBytes } from '../traffic/traffic-meter.ts'

/** Everything a worker needs to begin. */
export interface WorkerStart {
  config: ServerConfig
  listeners: InheritedListener[]
  /** Purges so far; those made later follow as messages. */
  marks: PurgeMarkSnapshot
  /** Which pages in Redis may be used; null: none. */
  redisEpoch: string | null
  /** Until when stored pages may be shown, milliseconds of CLOCK_MONOTONIC; null: always. Later ones follow as messages. */
  pageLeaseMs: number | null
  /** The file of pages that all workers share; null: none. */
  pageFile: PageFile | null
  /** How many workers share the memory limit. */
  workers: number
  /** Of every worker the same: 48 random bytes. */
  ticketKeys: Uint8Array
  /** For names without a certificate. */
  selfSigned: { key: string; cert: string }
  /** Answers to certificate authorities, by token. */
  challenges: ReadonlyMap<string, string>
  /** Which cookies sites were seen to set, by primary domain; later changes follow as messages. */
  learnedCookies: Record<string, SiteCookies>
  /** Primary domains of sites that were found to vary; later changes follow as messages. */
  varyingSites: readonly string[]
  /** Where it says that it lives; null: nobody watches it. */
  heartbeatFd: number | null
  /** What of sites is answered with 503; later changes follow as messages. */
  heldSites: readonly HeldSite[]
  /** What visitors of today are hashed with; those of later days follow from it. */
  dayKey: DayKey
}

/** What changed between two configurations. */
export interface HostChanges {
  /** New and changed hosts. */
  put: VirtualHostConfig[]
  /** Primary domains of hosts that are gone. */
  removed: string[]
}

/** How a fill ended. */
export type FillKind = 'stored' | 'uncacheable' | 'failed'

/** The same for those who waited for it, in a form that passes a channel. */
export type FillReport =
  { kind: 'stored'; entry: Uint8Array } | { kind: Exclude<FillKind, 'stored'> }

export type FillRole = { role: 'leader'; fill: number } | { role: 'follower'; report: FillReport }

/** What a worker has counted since it began; each only grows. */
export interface WorkerCounters {
  requests: number
  refused: RefusedConnections
  /** Null without a page cache. */
  cache: PageCacheCounters | null
}

export interface WorkerStats {
  engine: EngineCounters
  connections: number
  l1: StoreStats | null
  l2: StoreStats | null
  /** Addresses of applications that have several. */
  upstreams: UpstreamState[]
}

/** How a worker fared with a warm target. */
export interface WarmAnswer {
  outcome: WarmOutcome
  /** The page as it is now stored, for the other workers; null when nothing was. */
  entry: Uint8Array | null
}

/** How busy a worker is with its visitors. */
export interface WorkerLoad {
  /** By how much its event loop is late. */
  lagMs: number
  /** Requests that wait for PHP, those of the warm queue included. */
  phpRunning: number
}

/** What a worker says of a tested request; `busy`: the site's rules cost more than its share. */
export type TestAnswer = Explained | 'busy'

/** What there is of a page now: an edition (see `editionOf`) or, null, nothing. */
export interface PageChange {
  id: string
  edition: string | null
}

/** From the primary to a worker. */
export type ToWorker =
  /** Answered when the worker accepts connections. */
  | { type: 'start'; start: WorkerStart }
  /** Answered when every new request sees the change. */
  | { type: 'hosts'; changes: HostChanges }
  /** Answered when no read can answer a purged entry any more. */
  | { type: 'purge'; purge: Purge }
  /** The same for purges that come from Redis, in their order. */
  | { type: 'purges'; purges: readonly Purge[] }
  /** Answered when pages in Redis are used (or no longer) accordingly. */
  | { type: 'l2-epoch'; epoch: string | null }
  /** Until when stored pages may be shown, milliseconds of CLOCK_MONOTONIC. */
  | { type: 'page-lease'; untilMs: number }
  /** The file of pages is another one or gone; answered when the old one was let go. */
  | { type: 'l2-reopen' }
  /** Another worker stored or took away a page; answered when the copy here is gone. */
  | { type: 'page-changed'; change: PageChange }
  /** Answered with the longest stall since the last such question, in milliseconds; see `StallWatch`. */
  | { type: 'stalls' }
  /** Answered with `WorkerStats`, after `counters`. */
  | { type: 'stats' }
  /** Answered with what each site has in this worker's memory, by host tag. */
  | { type: 'site-usage' }
  /** Answered with the addresses of the site's pages here that a purge of the scopes would take away. */
  | { type: 'site-pages'; siteTag: string; scopes: readonly PurgeScope[] }
  /** Answered with `WarmAnswer` when nothing is under way for the target any more. */
  | { type: 'warm'; target: WarmTarget }
  /** A document in which pages are named; answered with `WarmDocument` or null. */
  | { type: 'warm-read'; target: WarmTarget }
  /** Answered with `TestAnswer`. */
  | { type: 'explain'; test: SiteTest }
  /** A page that another worker has filled anew. */
  | { type: 'adopt'; entry: Uint8Array }
  /** Answered with `WorkerLoad`. */
  | { type: 'load' }
  /** What the other workers' connections are now. */
  | { type: 'connections'; others: ConnectionView }
  /** What another worker has let through at sites with limits of requests. */
  | { type: 'requests-used'; used: UsedBySites }
  /** Seals the session tickets from now on. */
  | { type: 'ticket-keys'; keys: Uint8Array }
  | { type: 'reopen-logs' }
  /** Answered when requests are answered accordingly. */
  | { type: 'challenges'; challenges: ReadonlyMap<string, string> }
  /** All that is known of the cookies that a site sets; answered when it counts. */
  | { type: 'learned-cookies'; site: string; known: SiteCookies }
  /** A site was found to answer by language or browser without saying so, or no longer counts as such; answered when it counts. */
  | { type: 'varying-site'; site: string; varies: boolean }
  /** Files with rules of a site changed; answered when they are looked at anew. */
  | { type: 'rules-changed'; site: string }
  /** All that is held of sites; answered when requests are answered accordingly. */
  | { type: 'held-sites'; sites: readonly HeldSite[] }
  /** Stop accepting, finish what is under way, exit. */
  | { type: 'drain' }

/** From a worker to the primary. */
export type ToPrimary =
  /** Answered with `FillRole`, for followers when the leader settled. */
  | { type: 'fill-join'; key: CacheKey }
  /** Answered with whether other workers wait for the page, which then has to follow. */
  | { type: 'fill-settle'; fill: number; kind: FillKind }
  | { type: 'fill-page'; fill: number; entry: Uint8Array }
  /** A page for the file; answered when it is stored, and every worker lets go of the one before. */
  | { type: 'l2-put'; id: string; edition: string; entry: Uint8Array }
  /** Answered when no worker has it any more. */
  | { type: 'l2-delete'; key: CacheKey }
  /**
   * A page in Redis was stored here, or taken away; answered when no worker has the one
   * before, or, where there was `replaced` none, when all were told.
   */
  | { type: 'page-changed'; change: PageChange; replaced: boolean }
  /** What this worker has counted since it began. */
  | { type: 'counters'; counters: WorkerCounters }
  /** Why visitors were not served from the cache since the last such message, by primary domain. */
  | { type: 'observations'; sites: Record<string, SiteObservations> }
  /** Bytes sent since the last such message. */
  | { type: 'traffic'; bytes: TrafficBytes }
  /** What owners of sites are shown of their visitors, as counted since the last such message. */
  | { type: 'figures'; parts: readonly FiguresPart[] }
  /** Processor time of sites since the last such message. */
  | { type: 'cpu'; times: CpuTimes }
  /** What changed among its connections. */
  | { type: 'connections'; report: ConnectionReport }
  /** What it has let through at sites with limits of requests; the other workers are told at once. */
  | { type: 'requests-used'; used: UsedBySites }
  /** What a site was found to be made with; null: nothing known. Answered when pages of what it was before are gone. */
  | { type: 'site-recognised'; site: string; application: string | null }
  /** A request has changed a site's public pages; answered when they are purged, or will be within two seconds. */
  | { type: 'site-changed'; site: string; effect: Exclude<Effect, 'none'> }
  /** A site's own request changed files with rules of it; answered when all workers look at them anew, or soon. */
  | { type: 'rules-changed'; site: string }
  /** Cookies that a site was seen to set, lower case; answered when all workers know. */
  | { type: 'learn-cookies'; site: string; names: readonly string[] }
  /** Whether a sample of a class of requests at a site may be taken now; answered with a boolean. */
  | { type: 'sample-turn'; site: string; clientClass: string }
  /** A sample showed that a site varies; answered when its pages are filled neutrally, and those from before gone. */
  | { type: 'site-varies'; site: string; why: PageDifference; page: string }
  /** A site (by its primary domain) asks for its own pages to be made new; answered likewise. `cause`: see `PurgeHistory`. */
  | { type: 'purge-site'; domain: string; scopes: readonly PurgeScope[]; cause: string }
  /**
   * An unsafe request changed what these scopes hold, or something else that the site
   * itself did (`cause`, see `PurgeHistory`); answered when no worker can answer it any more.
   */
  | { type: 'invalidate'; scopes: readonly PurgeScope[]; cause?: string }
  /** A front asks for purges, and tells which it has carried out; answered with orders. */
  | { type: 'front-asks'; done: readonly string[] }
  /** Rules that are held are others now. */
  | { type: 'held-rules-changed'; site: string }
  /** A page in the file, or the file, cannot be read. */
  | { type: 'l2-damage'; error: string }
  /** Redis has purges that this worker was not told of. */
  | { type: 'l2-behind' }
