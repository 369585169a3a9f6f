/** Where a path leads. */
export interface SiteRedirect {
  /** Path, decoded, beginning with `/`. */
  from: string
  /** The path alone, or it and all below it. */
  match: 'exact' | 'prefix'
  /** Path of the same site, or an http(s) URL; what follows a prefix is put behind it. */
  to: string
  status: 301 | 302 | 307 | 308
}

/** A header that every response of the site has. */
export interface SiteHeader {
  name: string
  value: string
}

/** A path, with all below it, that asks for name and password. */
export interface ProtectedPath {
  path: string
  /** What the browser says it is asking for. */
  realm: string
  /** Hashes are bcrypt's. */
  users: { name: string; hash: string }[]
}

/** Whoever does not come from an allowed address is told to come again later (503). */
export interface Maintenance {
  enabled: boolean
  retry_after_secs: number
  /** Addresses and blocks that see the site as ever. */
  allow: string[]
}

/** Files that only pages of the site itself, and of some others, may show. */
export interface HotlinkProtection {
  enabled: boolean
  /** Endings of file names, lower case, without a dot. */
  extensions: string[]
  /** Names of other hosts; a leading `*.` stands for all below one. */
  allow: string[]
}

/**
 * Whether the names in a directory without an index are shown: never, where the site's own rules
 * say so (`Options +Indexes`), or wherever they do not say otherwise.
 */
export type DirectoryListing = 'off' | 'rules' | 'on'

/** How often one address may ask for what lies at a path. */
export interface RateLimit {
  /** Path, decoded, with all below it; `/` is the whole site. */
  path: string
  /** So many in `per_secs` seconds, in the long run. */
  requests: number
  per_secs: number
  /** The most at once. */
  burst: number
  /** Whether pages and files that are ready in memory count, and are refused, too. */
  count_hits: boolean
}

/** An IPv6 address counts as its /64. Whoever asks more often is told to wait (429). */
export interface RateLimits {
  /** A request must be within all that are for its path. */
  rules: RateLimit[]
  /** Addresses and blocks that may ask as often as they like. */
  allow: string[]
}

/** A folder elsewhere in the home whose files are reached below a path. */
export interface SiteFolder {
  /** Path, decoded. */
  path: string
  /** Below the home. */
  folder: string
}

/** One address of a backend. */
export interface BackendServer {
  /** `http` or `https`, host and port alone, in the spelling of `URL.origin`. */
  url: string
  /** Its share of the requests beside the others', from 1. */
  weight: number
}

/** What answers a path of a site, and all below it, in place of its files and scripts. */
export interface SiteBackend {
  /** Path, decoded; `/` is the whole site. Of several the longest that fits answers. */
  path: string
  /** Path at the backend that stands in place of `path`; null: it is the same there. */
  replace_prefix: string | null
  /** One of the account's applications; null: `servers`. */
  application: string | null
  /** Where it is asked; empty for an application. */
  servers: BackendServer[]
  /** Whether servers may lie anywhere, for administrators to say; else in the internet alone. */
  internal: boolean
  /** Asked of each server, whose status must be below 400; null: none is asked. */
  health_path: string | null
  /** Whether it gets the visitor's `Host`; otherwise its own. */
  preserve_host: boolean
  websocket: boolean
  /** Whether certificates of https servers are checked. */
  verify_tls: boolean
}

/** What a site does with requests before its own files, rules and scripts have a say. */
export interface SiteSettings {
  /** Which of a name and its `www.` leads to the other, where the site has both. */
  www: 'both' | 'with' | 'without'
  redirects: SiteRedirect[]
  headers: SiteHeader[]
  /** Path below the document root, by status. */
  error_pages: Record<string, string>
  /** Files that stand for a directory, in this order; none: the server's. */
  index: string[]
  listing: DirectoryListing
  /** Values of php.ini that its PHP runs with instead of the server's; see `SITE_PHP_RULES`. */
  php: Record<string, string>
  maintenance: Maintenance
  /** Addresses and blocks; with any, all others are refused. */
  allow: string[]
  /** Addresses and blocks that are refused. */
  deny: string[]
  hotlink: HotlinkProtection
  rate_limits: RateLimits
  protected: ProtectedPath[]
  folders: SiteFolder[]
  backends: SiteBackend[]
}
