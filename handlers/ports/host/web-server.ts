import type { FiguresBatch } from './figures.ts'
import type { WorkerStall } from './web/worker-stall.ts'
import type { PhpMode } from '../store/column-types.ts'
import type { SiteSettings } from './site-settings.ts'
import type { UpstreamState } from './web/upstream-state.ts'
import type { SiteTest, SiteTestResult } from './web/site-test.ts'

/** PHP settings of one virtual host; what is null follows the server's. Hosts of one account with equal settings share processes. */
export interface PhpPool {
  /** Requests at a time. */
  maxChildren: number | null
  /** As in php.ini, e.g. `256M`. */
  memoryLimit: string | null
  /** Values of php.ini; see `phpIniProblem` for what may not be set. */
  ini: Record<string, string>
}

/** Page cache of one virtual host; what is absent follows the server. */
export interface SiteCacheRule {
  enable: boolean
  /** Seconds; null: the server's. */
  ttl: number | null
  /** Exact paths, or prefixes ending in `*`. */
  exclude: string[]
  /** Names of cookies (a final `*` is a prefix) whose owners get no page of the cache; default: sessions of usual software. */
  bypassCookies?: string[]
  /** Query parameters (a final `*` is a prefix) that no page depends on. */
  ignoreQueryParams?: string[]
  /** Pages of their own for phones. */
  mobileVariant?: boolean
  /** Whose request fills a page; default: the visitor's own, until the site was found to vary. */
  fills?: 'visitor' | 'neutral'
  /** Names of cookies (a final `*` is a prefix) that tell nothing of who is asking; default: none but known ones. */
  harmlessCookies?: string[]
  /** Names of cookies that keep their owner from the cache, beside the sessions of usual software. */
  sessionCookies?: string[]
  /** The application by name, or `none`; default: recognised. */
  application?: string
}

/** Where requests of a site go that one of the account's applications answers. */
export interface SiteApplication extends Partial<ApplicationInstances> {
  name: string
  /** Null: all; else those below these. */
  paths: string[] | null
}

/** Of an application of which several listen. */
export interface ApplicationInstances {
  /** How many, 2 at least. */
  instances: number
  /** Each is asked for it, and gets no request while it does not answer with 200 to 399. Default: none is asked. */
  healthPath?: string
}

/** A generated virtual host. The host checks every field against its own records. */
export interface VirtualHostSpec {
  /** Primary name: A-label, lower case; also the name of the generated file. */
  domain: string
  aliases: string[]
  /** Account that owns it. */
  username: string
  /** Absolute, inside the account's home. */
  root: string
  suspended: boolean
  /** The account's traffic of this month is used up; its sites answer 509. */
  overBandwidth: boolean
  php: { version: string; mode: PhpMode; pool?: PhpPool } | null
  ssl: { certificate: string; key: string } | null
  redirectHttps: boolean
  /** max-age of Strict-Transport-Security (RFC 6797) on https responses; default 0: none. */
  hstsMaxAgeSecs?: number
  /** Answers at names that no virtual host has; default: it does not. */
  defaultHost?: true
  cache: SiteCacheRule
  /** What stands before its rules, files and scripts; default: nothing. */
  site?: SiteSettings
  /** Those of the applications that `site.backends` name of which several instances listen, by name; default: none. */
  instances?: Record<string, ApplicationInstances>
  /** Application that the paths below `paths` (null: all) are passed on to; default: none. */
  proxy?: { upstream: string; paths: string[] | null; websocket: boolean }
  /** One of the account's applications that requests are passed on to, WebSockets too; the host knows where it listens, and starts it for a visitor. Default: none. */
  application?: SiteApplication
}

/** Bytes of response bodies by virtual host since the batch before. */
export interface TrafficBatch {
  /** Answered again until a later call acknowledges it. */
  batch: string
  bytes: Record<string, number>
}

/** Sums over all workers since the web server's start; within one `run` they never go down. */
export interface WebServerCounters {
  /** Names one run of the web server; with another one the counters began anew. */
  run: string
  requests: number
  /** Responses from the page cache, stale ones included. */
  hits: number
  misses: number
}

/**
 * What runs now. What only the web server itself can say is null, 0 or empty while it does
 * not run.
 */
export interface WebServerStatus {
  installed: boolean
  running: boolean
  version: string
  pid: number | null
  uptime_secs: number | null
  workers: number
  virtual_hosts: number
  /** Of workers within the last day, the latest last. */
  stalls: readonly WorkerStall[]
}

/** The managed web server and its generated configuration. */
export interface WebServerPort {
  /**
   * Writes and removes generated files, then reloads. If the web server refuses
   * the result, every file is rolled back and the refusal is thrown; a broken
   * configuration never becomes active. Answers once all workers serve it.
   */
  apply(input: { put: VirtualHostSpec[]; remove: string[] }): Promise<void>
  /** Names the state of the generated set: every `apply` that is carried out makes another. */
  edition(): Promise<string>
  /**
   * Replaces the whole generated set by `hosts`. What an `apply` has put or removed after
   * the edition `since`, told before `hosts` were read, stays as that left it, and so do
   * the hosts of the accounts in `leave`. 409 when the edition is too old to tell.
   */
  regenerate(input: {
    hosts: VirtualHostSpec[]
    since?: string
    leave?: string[]
  }): Promise<{ written: number; removed: number }>
  /** Takes up the configuration. Answers dotted keys that changed but need a restart of Berth. 409 when it is refused. */
  reload(): Promise<{ restart_needed: string[] }>
  /** New workers for all sites; answers when they serve, while the old ones finish what they have begun. 503 when it does not run. */
  restart(): Promise<void>
  /**
   * Never rejects for a web server that does not run or does not answer: `running` is false
   * then.
   */
  status(): Promise<WebServerStatus>
  /** Null when the web server does not run. */
  counters(): Promise<WebServerCounters | null>
  /** What was sent since the acknowledged batch (null: none yet); null when the web server does not run. */
  takeTraffic(input: { acknowledged: string | null }): Promise<TrafficBatch | null>
  /**
   * What was counted of the sites' visitors since the acknowledged batch (null: none yet);
   * null when the web server does not run.
   */
  takeFigures(input: { acknowledged: string | null }): Promise<FiguresBatch | null>
  /**
   * What a request would come to at a site, and by which rules; nothing of the site runs and
   * nothing is counted. 400 the address is another site's, 404 the web server has no such
   * site, 503 it does not run, or the site's rules cost more than they may at present.
   */
  explain(test: SiteTest): Promise<SiteTestResult>
  /**
   * How the addresses of a site's backends fare, those that are several or are asked after their
   * health; none where the web server does not run or does not have the site.
   */
  upstreams(input: { domain: string }): Promise<UpstreamState[]>
  /** Purges the page cache of the named hosts; with none, everything. */
  purge(input: { domains: string[] }): Promise<void>
}
