import type { CacheRule } from '#edge-cache/config.ts'

/** A site before its origin, with all defaults. */
export interface EdgeSite {
  /** Primary name, by which its pages are counted and purged. */
  domain: string
  aliases: readonly string[]
  /** Where requests are passed on to: scheme, host and port, e.g. `https://origin.example.com`. Null: its files are here. */
  origin: string | null
  /** Name of the binding that requests go through (`mtls_certificates`, a tunnel, another Worker); null: `fetch`. */
  via: string | null
  /** Folder of the static assets, from their root on; null: requests are passed on. */
  assets: string | null
  redirectHttps: boolean
  /** How long the origin may take for the head of its answer. */
  timeoutMs: number
  /** Larger bodies of requests are refused with 413; null: what Cloudflare lets in. */
  maxBodyBytes: number | null
  rule: CacheRule
}

/** All sites of a Worker. */
export interface EdgeSites {
  /** By any of its names, lower case; null: nobody's. */
  find(host: string): EdgeSite | null
  all: readonly EdgeSite[]
  /** What is wrong with variables whose sites were left out, each naming its variable. */
  problems: readonly string[]
}
