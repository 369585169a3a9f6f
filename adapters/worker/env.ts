/** Bindings of the Worker, as `wrangler.jsonc` declares them. */
export interface Env {
  /** The panel's store. */
  DB: D1Database
  /** The host's ports: a service that answers `POST /<port>/<method>` as the agent does. */
  HOST: Fetcher
  /** Secret, at least 32 characters: `wrangler secret put JWT_SECRET`. */
  JWT_SECRET: string
  /** Parent directory of the homes on the host. Default `/home`. */
  HOME_BASE?: string
  /** When set, setup needs it as `setup_token`; a panel on a public address should have one. */
  SETUP_TOKEN?: string
}
