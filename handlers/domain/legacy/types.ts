import type { SiteText } from '../config/virtual-host-config.ts'

/** Where a directive stands. */
export interface Place {
  file: string
  /** 1-based. */
  line: number
}

/** One directive of another server's configuration, conditions and includes resolved. */
export interface Directive extends Place {
  /** Lower case. */
  name: string
  /** As it is written. */
  spelled: string
  /** Its arguments, quotes removed. */
  args: string[]
  /** What follows the name, as written. */
  text: string
  /** Of a section or block what stands in it; null for a plain directive. */
  inside: Directive[] | null
}

/** How the files of a configuration are reached. */
export interface SourceFiles {
  /** Text of a regular file, or why there is none. */
  read(path: string): { text: string } | { reason: string }
  /** Files that a pattern with `*`, `?` and `[ ]` names, sorted; those of a directory where it names one. */
  expand(pattern: string): string[]
  /** Whether anything lies there. */
  exists(path: string): boolean
}

/**
 * What became of a directive that was not carried over as it stands.
 * `lost`: what it did is not done any more. `changed`: it is done otherwise.
 * `unneeded`: it has no meaning for Berth.
 */
export interface Finding extends Place {
  kind: 'lost' | 'changed' | 'unneeded'
  /** Name and first argument. */
  directive: string
  reason: string
}

/** A rule of the key `rewrites`. */
export interface LegacyRewrite {
  pattern: string
  target: string
  flags: string
  conditions: string[]
}

/** Values of one `[[virtualhost]]`. */
export interface LegacySite {
  root: string | null
  index: string[] | null
  htaccess: boolean
  errorPages: Record<string, string>
  headers: Record<string, string>
  rewrites: LegacyRewrite[]
  /** Lines of the key `rules`. */
  rules: string[]
  /** Folders elsewhere by their paths, as in the key `folders`. */
  folders: Record<string, string>
  /** Limits of requests for paths and all below them. */
  rateLimits: LegacyRateLimit[]
  /** Socket of PHP, or `tcp://host:port`; null: files only. */
  phpSocket: string | null
  proxy: LegacyProxy | null
  /** Texts that rules answer with, as in the key `texts`. */
  texts: Record<string, SiteText>
  /** Further applications by name, for their paths and for rules that pass on to them. */
  backends: Record<string, LegacyProxy>
}

/** How often one address may ask for what lies at a path. */
export interface LegacyRateLimit {
  path: string
  requests: number
  perSecs: number
  /** The most at once. */
  burst: number
}

/** What another server passed on to an application. */
export interface LegacyProxy {
  /** Of several the first. */
  upstream: string
  /** All, where there are several. */
  upstreams?: { upstream: string; weight: number }[]
  /** Null: all. */
  paths: string[] | null
  except: string[]
  /** Path there that stands in place of one here; default: they are alike. */
  replacePrefix?: { from: string; to: string; plain?: true }
  preserveHost: boolean
  websocket: boolean
  verifyTls: boolean
  timeoutSecs: number | null
}

/** Where a host leads that only redirects. */
export interface LegacyRedirect {
  status: number
  /** Of the same path over https; null: the requested host. Undefined: elsewhere. */
  httpsHost: string | null | undefined
}

/** A virtual host as the other server has it: for http or for https. */
export interface LegacyHost {
  at: Directive
  /** Lower case, the main one first. */
  names: string[]
  secure: boolean
  /** It says that it answers at names that no other host has; default: it does not. */
  isDefault?: boolean
  certificate: string | null
  key: string | null
  /** Set where all it does is to lead every path to another address. */
  redirect: LegacyRedirect | null
  site: LegacySite
}

/** Settings of the server as a whole. */
export interface LegacyServer {
  listen: string[]
  listenSsl: string[]
  keepaliveSecs: number | null
  maxBodyBytes: number | null
}

/** What a configuration came to. */
export interface LegacyConfig {
  server: LegacyServer
  hosts: LegacyHost[]
}

/** What the web server says of parts that a conversion wants to write. Null: they are understood. */
export interface RuleCheck {
  /** Lines of the key `rules`; otherwise the first error, in words. */
  rules(text: string): string | null
  /** One entry of the key `rewrites`; otherwise its error, in words. */
  rewrite(rewrite: LegacyRewrite): string | null
}

/** What a conversion may use. */
export interface ConvertContext {
  files: SourceFiles
  check: RuleCheck
  /** Name of hosts that have none. */
  defaultDomain: string
  /** The hosts join those of a server, which has its own for unknown names. Default: they are all of it. */
  joining?: boolean
}
