/** Bindings of the Worker, as `wrangler.jsonc` declares them. */
export interface Env {
  /** The panel's store. */
  DB: D1Database
  /**
   * The way to the host: a tunnel, an `mtls_certificates` binding, or a Worker that passes requests
   * on to the host's link. Default: `fetch` to `LINK_URL`. Without both no host is reached.
   */
  HOST?: Fetcher
  /** Address of the host's link, e.g. `https://link.example.com`; of requests through `HOST` it is the name only. */
  LINK_URL?: string
  /**
   * Secret: who this panel is at the host's link, and the key that it signs calls with, as JSON; see
   * `parseLinkKey`. Without it calls go unsigned, which only a service that keeps strangers out may take.
   */
  LINK_KEY?: string
  /**
   * Secret: a service token of Cloudflare Access for `LINK_URL`, as `<client id>:<client secret>`, so that strangers
   * do not reach the tunnel. Not sent through `HOST`.
   */
  LINK_ACCESS?: string
  /** Secret, at least 32 characters: `wrangler secret put JWT_SECRET`. */
  JWT_SECRET: string
  /** Parent directory of the homes on the host. Default `/home`. */
  HOME_BASE?: string
  /** When set, setup needs it as `setup_token`; a panel on a public address should have one. */
  SETUP_TOKEN?: string
}
