import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

/** Answer of a site; headers are lower-case, repeated ones joined with `, `. */
export interface SiteResponse {
  status: number
  headers: Record<string, string>
  setCookies: string[]
  body: Buffer
  text: string
}

export interface SiteInit {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Over TLS with SNI `host`, certificate not verified. Default false. */
  secure?: boolean
  /** Default 60000. */
  timeoutMs?: number
}

export type ProcessName = 'supervisor' | 'agent' | 'panel' | 'web'

/**
 * A whole running instance of the product on private ports and directories;
 * `startInstance` in `instance.ts` makes it, e2e, attack and crash tests use it.
 */
export interface Instance {
  /** Effective configuration. */
  config: ServerConfig
  /** e.g. `http://127.0.0.1:41234`. */
  panelUrl: string
  managementUrl: string
  webPort: number
  webSslPort: number
  /** One request to the web server on its own connection, with `Host: host`; follows nothing, stores no cookies. */
  site(host: string, path: string, init?: SiteInit): Promise<SiteResponse>
  /** One kept connection that requests follow each other on. */
  keepAlive(host: string): { get(path: string): Promise<SiteResponse>; close(): void }
  /** Live process ids; `workers` are the web server's. */
  pids(): Promise<Record<ProcessName, number> & { workers: number[] }>
  /** kill -9 of one process; `worker` takes the first worker. */
  kill(name: ProcessName | 'worker'): Promise<void>
  /** Resolves when panel, web server and agent answer; rejects after `timeoutMs` (default 60000). */
  untilReady(timeoutMs?: number): Promise<void>
  /** Starts the supervisor again on the same directories (after `stop({keep:true})` or `kill('supervisor')`). */
  startAgain(): Promise<void>
  /** Stops it and, unless `keep`, removes all it made: users, homes, processes, directories. */
  stop(options?: { keep?: boolean }): Promise<void>
}
