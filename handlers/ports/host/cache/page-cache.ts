/** What of a site is purged. A path may end in `*`; a tag is one that the site's own responses carry. */
export type SitePurgeScope =
  { kind: 'all' } | { kind: 'paths'; paths: string[] } | { kind: 'tags'; tags: string[] }

/** What a layer holds. */
export interface LayerUsage {
  entries: number
  bytes: number
  limit_bytes: number
}

/** What a site has in a layer. */
export interface SiteLayerUsage {
  entries: number
  bytes: number
}

/** Of one site; counters are sums since the web server's start. */
export interface SiteCacheReport {
  hits: number
  /** Of the hits: stale, while refreshed or in place of an error. */
  stale_hits: number
  misses: number
  /** By reason, e.g. `cookie`, `query`. */
  bypasses: Record<string, number>
  bytes_served: number
  /** Copies in several workers count once each; with what they share in memory. */
  memory: SiteLayerUsage
  /** Null where the second layer is none of our own (Redis), or off. */
  disk: SiteLayerUsage | null
  /** Cookies that the site was seen to set, so that their owners get no page of the cache; oldest first. */
  learned_cookies: LearnedCookie[]
  /** It sets more names than are kept: every cookie that is not known as harmless counts. */
  learned_full: boolean
  /** The application that was chosen, or recognised in the document root since somebody asked for a page; null: none. */
  application: string | null
  /** The site was found to answer by language or browser without saying so, and is filled neutrally; null: it was not. */
  varies: FoundToVary | null
}

/** In what the page of a visitor was another one than neutral requests get. */
export interface FoundToVary {
  /** Wall clock, milliseconds. */
  since_ms: number
  why: 'language' | 'title' | 'text'
  /** Path of the page that showed it. */
  page: string
}

/** A cookie that a site was seen to set. */
export interface LearnedCookie {
  /** Lower case. */
  name: string
  /** ISO 8601, UTC. */
  learned_at: string
}

/** The page cache at one moment. */
export interface PageCacheReport {
  /** Names one run of the web server; with another one the counters began anew. */
  run: string
  enabled: boolean
  storage: 'memory' | 'disk' | 'redis'
  /** Seconds. */
  default_ttl: number
  /** With `storage` memory also what workers share. */
  memory: LayerUsage | null
  /** Of disk or Redis. */
  lower: LayerUsage | null
  /** Why the second layer is off; null while it works or where there is none. */
  lower_fault: string | null
  /** Whether pages may be warmed. */
  warms: boolean
  /** By primary name. */
  sites: Record<string, SiteCacheReport>
}

/** Something that comes often, with how often it came. */
export interface SeenOften {
  name: string
  count: number
}

/** A purge of a site. */
export interface NotedPurge {
  /** Wall clock of the web server. */
  at_ms: number
  scope: 'all' | 'paths' | 'tags' | 'scripts'
  /** The first few paths, tags, or files of scripts that made pages. */
  items: string[]
  count: number
  /** How often it was made, one after the other. */
  times: number
  /** A word, and after a colon who or what it was, e.g. `panel:lena`, `cli`, `php`, `rules`. */
  cause: string
}

/**
 * Why a site's visitors (GET, HEAD) were not served from the cache, in the last 18
 * to 24 hours and since the web server's start at most. Counts of what is rare among
 * many may be too high.
 */
export interface SiteCacheInsight {
  /** Wall clock of the web server. */
  since_ms: number
  /** Why: as in `Cache-Status`, or why the response could not be stored; `content-type` is what is no page. */
  reasons: SeenOften[]
  /** Of those with a query: with nothing but click ids. */
  click_ids_only: number
  /** What counts as such: query parameters, a final `*` is a prefix. */
  click_ids: string[]
  /** By name of cookie; names are as visitors sent them. */
  cookies: SeenOften[]
  /** By path, with the latest reason. */
  pages: { path: string; count: number; reason: string }[]
  /** Latest first. */
  purges: NotedPurge[]
  /** What the web server's workers spent on the site, by minute of the last hour; minutes without are not there. */
  worker_cpu: CpuMinute[]
  /** What PHP, CGI and all else that runs as the site's account used; null where accounts share a user. */
  account_cpu: CpuMinute[] | null
}

/** Processor time of one minute. */
export interface CpuMinute {
  /** Begin of the minute, wall clock of the host. */
  at_ms: number
  /** In steps of 10 ms. */
  ms: number
}

/** What a purge of a site hit. */
export interface PurgeOutcome {
  /** Pages that were stored and are gone, whatever variants they had. */
  pages: number
  /** Whether there were more than could be counted. */
  at_least: boolean
  /** Whether the whole site was purged, because the account has purged single pages too often. */
  widened: boolean
}

/** Pages of one site that are to be stored before somebody asks for them. */
export interface WarmOrder {
  /** Primary name of a site. */
  domain: string
  /** Names this order in `warmProgress`; chosen by the caller. */
  batch: string
  /** Paths, or URLs of names of this site. */
  urls: string[]
  /** Also finds home page, sitemap and what they name. */
  discover: boolean
}

/** What became of the pages of an order when it was given. */
export interface WarmAccepted {
  queued: number
  /** Under way already, or warmed a moment ago. */
  duplicates: number
  /** What is no page of the site, or found no room. */
  rejected: { url: string; reason: string }[]
  /** Whether pages are still being looked for. */
  finding: boolean
}

/** How far an order is; `done`, `skipped` and `failed` add up to `queued` in the end. */
export interface WarmProgress {
  queued: number
  done: number
  skipped: number
  failed: number
  finding: boolean
  /** Latest pages that were skipped or failed, with the reason. */
  problems: { url: string; reason: string }[]
}

/** The page cache of the managed web server, site by site. Sites are named by their primary name; 404 for others. */
export interface PageCachePort {
  /** Null when the web server does not run. */
  report(): Promise<PageCacheReport | null>
  /** What was seen of a site's visitors; null when the web server does not run. */
  insight(input: { domain: string }): Promise<SiteCacheInsight | null>
  /**
   * Purges pages of one site, under all its names; nothing of any other site, whatever
   * paths or tags they share. Null when the web server does not run: the site is then
   * purged as a whole when it starts. 400 for a path or tag that no page can have.
   * `cause`: see `NotedPurge`; default: `panel`.
   */
  purge(input: {
    domain: string
    scope: SitePurgeScope
    cause?: string
  }): Promise<PurgeOutcome | null>
  /**
   * Forgets a cookie that a site was seen to set, or with null all of them, so that its
   * owners get pages of the cache again until the site sets it again; all workers know
   * when it resolves. `forgotten`: whether it was known. 503 when the web server does not run.
   */
  forgetCookie(input: { domain: string; name: string | null }): Promise<{ forgotten: boolean }>
  /** Queues pages of one site. 409 when pages are not warmed, 503 when the web server does not run. */
  warm(input: WarmOrder): Promise<WarmAccepted>
  /** Null for an order that is not known (any more). */
  warmProgress(input: { batch: string }): Promise<WarmProgress | null>
}
