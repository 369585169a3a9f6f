import type { CacheRule } from '../../../edge-cache/config.ts'
import type { DirectoryListing, SiteSettings } from '../../ports/host/site-settings.ts'

/** Section `[[virtualhost]]`, by hand or in a generated file. */
export interface VirtualHostConfig {
  domain: string
  aliases: string[]
  root: string
  index: string[]
  /** When the names in a directory are shown; default: `rules`. */
  listing?: DirectoryListing
  /** Folders elsewhere by the path under which their files are reached, without a final slash; default: none. */
  folders?: Record<string, string>
  /** Account that owns the tree; null for hand-written hosts. */
  username: string | null
  /** Expected owner of every served file; null: no ownership rule (hand-written hosts). */
  uid: number | null
  /** Home that every served file must lie in; null: the root itself. */
  home: string | null
  suspended: boolean
  /** The account's traffic of this month is used up: every request meets 509. */
  over_bandwidth: boolean
  redirect_https: boolean
  /** Seconds a browser is told to come over TLS only (RFC 6797); 0: it is told nothing. */
  hsts_max_age_secs: number
  /** Answers at names that no virtual host has; default: it does not. */
  default_host?: true
  ssl_certificate: string | null
  ssl_certificate_key: string | null
  /** Status to path below the root. */
  error_pages: Record<string, string>
  headers: Record<string, string>
  /** Rules as `RewriteRule` has them, in order; patterns see the whole path. */
  rewrites: RewriteConfig[]
  /** Directives as in an `.htaccess` of the document root, which come before it and count without it too; default: none. */
  rules?: string
  /** What stands before the site's own rules, files and scripts; default: nothing. */
  guard?: SiteGuard
  /** Whether `.htaccess` files in the document root count. */
  htaccess: boolean
  /** What a directive that is not known does: nothing but a line in the log, or 500. */
  htaccess_unknown: 'ignore' | 'error'
  /** `enable:false` serves files only. */
  php: {
    enable: boolean
    version: string | null
    mode: 'fpm' | 'cgi' | 'lsapi'
    /** Path of a socket, or `tcp://host:port`; null: what the agent starts. */
    socket: string | null
    /** Its own settings; without them those of `[php]`. */
    pool?: PhpPoolConfig
  }
  /** Application that requests are passed on to; null: files and PHP alone. */
  proxy: ProxyRule | null
  /** Further applications by name: for their `paths` (none: an empty list), and for rules with the flag `P`. Default: none. */
  backends?: Record<string, ProxyRule>
  /** Texts that rules answer with, by name. Default: none. */
  texts?: Record<string, SiteText>
  cache: CacheRule
}

/** Each of `[virtualhost.texts.NAME]`. */
export interface SiteText {
  /** 200 to 599, no redirect. */
  status: number
  /** `Content-Type`. */
  type: string
  body: string
}

/** Section `[virtualhost.guard]`. Headers, error pages, indexes, listings, PHP, folders and backends have keys of their own. */
export type SiteGuard = Omit<
  SiteSettings,
  'headers' | 'error_pages' | 'index' | 'listing' | 'php' | 'folders' | 'backends'
>

/** Keys `max_children`, `memory_limit` and `ini` of `[virtualhost.php]`; null: as in `[php]`. */
export interface PhpPoolConfig {
  max_children: number | null
  memory_limit: string | null
  /** Values of php.ini, as text. */
  ini: Record<string, string>
}

/** Section `[virtualhost.proxy]`, and each of `[virtualhost.backends.NAME]`. */
export interface ProxyRule {
  /** See `parseProxyUpstream`. Of several the first. */
  upstream: string
  /** Where the same application is asked besides, the first included; default: at `upstream` alone. */
  upstreams?: UpstreamConfig[]
  /** Of several: the longest that one which failed is left alone. */
  back_off_secs?: number
  /** Of several: asked of each, whose status must be below 400; default: they are not asked. */
  health_path?: string
  /** Seconds between two such questions. */
  health_interval_secs?: number
  /** Prefixes of the paths that are passed on, e.g. `/api`, `/socket/`; null: all. */
  paths: string[] | null
  /** Prefixes that are not passed on although `paths` names them; default: none. */
  except?: string[]
  /**
   * Prefix of paths here, and what stands in its place at the application; default: paths are alike.
   * `plain`: as texts, so that a slash at the end of one of them counts.
   */
  replace_prefix?: { from: string; to: string; plain?: boolean | undefined }
  /** Seconds until a connection must stand. */
  connect_timeout_secs: number
  /** Seconds the application may take for the head of a response, and between two pieces of its body. */
  timeout_secs: number
  /** Idle connections that a worker keeps for the next request; 0: none. */
  keepalive_connections: number
  /** Whether the application gets the visitor's `Host`; otherwise the upstream's. */
  preserve_host: boolean
  websocket: boolean
  /** Seconds without a byte in either direction after which a WebSocket is closed. */
  websocket_idle_secs: number
  /** Whether the certificate of an https upstream is checked. */
  verify_tls: boolean
  /**
   * Where an account's upstreams may lie. `internet`: addresses of the internet alone, judged again at
   * each connection; `anywhere`: wherever the administrator said. Default: at a port of this machine,
   * or a socket in the account's home.
   */
  reach?: ProxyReach
  /**
   * The upstream is the listener for fronts of the machine with this id: it must show the certificate
   * that `<state_dir>/web-channel` has of it, and is told who the visitor is. Default: it is none.
   */
  channel?: string
  /** The account's application that listens there, which the agent starts for a visitor; default: nobody starts it. */
  application?: string
}

/** Values of the key `reach`. */
export type ProxyReach = 'internet' | 'anywhere'

/** Each of the key `upstreams`. */
export interface UpstreamConfig {
  /** See `parseProxyUpstream`. */
  upstream: string
  /** Its share of the requests beside the others', from 1. */
  weight: number
}

/** One rule of the key `rewrites`. */
export interface RewriteConfig {
  pattern: string
  /** `-`: the address stays. */
  target: string
  /** As in `RewriteRule`, without brackets, e.g. `R=301,L`; may be empty. */
  flags: string
  /** Each the arguments of a `RewriteCond`, e.g. `%{HTTPS} =off`; default: none. */
  conditions?: string[]
}
