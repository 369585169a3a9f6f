import type { RenewalReport } from '../services/certificates/certificates.ts'
import type { DatabaseToolDoor } from '../services/databases/tool.ts'
import type { HostPorts } from '../ports/host/host.ts'
import type { ServiceDeps } from '../services/service-deps.ts'

/** Everything the panel application is built from. */
export interface PanelDeps extends Omit<ServiceDeps, 'homeBase' | 'panelNames' | 'host'> {
  /** The machine of the panel itself. */
  host: HostPorts
  /** HS256 secret, random per installation, at least 32 characters. */
  jwtSecret: string
  config: PanelAppConfig
  /** Where the web tool for databases is, for a browser that sees the panel at `ownOrigin`. Default: there is none. */
  databaseTool?: { origin(ownOrigin: string): Promise<string> }
}

export interface PanelAppConfig {
  /** Parent directory of the accounts' homes, absolute. */
  homeBase: string
  /** When set, setup needs this value as `setup_token`. Default: none. */
  setupToken?: string | null
  /** Names of the machine, which no site may have. Default: none but `localhost`. */
  machineNames?: readonly string[]
  /** CIDR blocks whose `X-Forwarded-For` counts. Default: none. */
  trustedProxies?: readonly string[]
}

/** What only the listener knows of a request; never taken from a header. */
export interface PanelContext {
  /** Address of the socket's other end. */
  clientAddress: string
  /** Whether the connection is TLS. */
  secure: boolean
  /**
   * Who connected has proved to be the machine's administrator, e.g. by a socket
   * that nobody else can open. The request then needs no token. Default: false.
   */
  local?: boolean
  /** The panel's own origin as the browser sees it. Default: scheme and host of the request's URL. */
  origin?: string
}

/** The REST API as one fetch-style handler. */
export interface PanelApp {
  (request: Request, context: PanelContext): Promise<Response>
  /**
   * Settles operations that a crash left open: creations are undone, deletions,
   * suspensions and liftings finished. To be run once at start, in the
   * background; what cannot be settled yet is tried again by itself. Where
   * several instances share a store, `olderThanSecs` spares those at work.
   */
  settleOpenOperations(options?: { olderThanSecs?: number }): Promise<void>
  /**
   * Settles what instances have left open that share the store and have ended; to be called about
   * four times a minute where there are several.
   */
  settleAbandoned(): Promise<void>
  /** Tells hooks and webhooks what is due; to be called every few seconds. */
  dispatchEvents(): Promise<void>
  /** Takes what the sites have sent and what the page cache has counted; to be called about twice a minute. */
  collectTraffic(): Promise<void>
  /** Notes how large databases are, what is not noted of today. */
  noteDatabaseSizes(): Promise<void>
  /** Takes what the web server has counted of visitors; to be called about twice a minute. */
  collectFigures(): Promise<void>
  /** Asks every other host whether it is there; to be called every ten seconds. */
  probeHosts(): Promise<void>
  /** Brings fronts what they lack; to be called every ten seconds. */
  bringFronts(): Promise<void>
  /** Tells hosts that lack it whom they obey; to be called every ten seconds, by each panel: not each is obeyed everywhere yet. */
  tellTrust(): Promise<void>
  /** Changes the keys of this panel when they are old; to be called every minute, by each panel. */
  rotateOwnKeys(): Promise<void>
  /** Changes the certificates of hosts before they end; to be called every minute. */
  rotateCertificates(): Promise<void>
  /** Measures the host for the charts; to be called every ten seconds. Never fails. */
  sampleHost(): Promise<void>
  /** Stores what was measured since the last whole minute; to be called before the process ends. */
  keepSamples(): Promise<void>
  /** Renews the certificates that are due; to be run every day. */
  renewCertificates(): Promise<RenewalReport>
  /** Goes on with orders whose records are shown by now; to be called every minute. */
  goOnWithOrders(): Promise<Pick<RenewalReport, 'renewed' | 'errors'>>
  /** Makes the backups that are due by the schedules; to be called every minute. Begins none after `signal`. */
  scheduledBackups(signal?: AbortSignal): Promise<void>
  /** Tells listeners of accounts whose backup is overdue; to be called a few times an hour. */
  tellOverdueBackups(): Promise<void>
  /** Proves the backups that were not proved for a week; to be called a few times an hour. */
  proveBackups(): Promise<void>
  /** Looks for what is wrong, and tells people by mail and webhook; to be called every few seconds. */
  tellNotifications(): Promise<void>
  /** Looks for what is wrong now, at records and machine. */
  lookForTroubles(): Promise<void>
  /** Takes up cron runs that an earlier panel left; once, before the first `tickCron`. */
  takeUpCron(): Promise<void>
  /** Begins the cron jobs that are due; to be called every minute. */
  tickCron(): Promise<void>
  /** Deploys what was pushed to repositories of applications; to be called every few seconds, one call after the other. */
  takePushes(): Promise<void>
  /** Tells the host what opens each account over SFTP; once, after a start. */
  tellSftp(): Promise<void>
  /** Tells the host how much each account may send; once, after a start. */
  tellMail(): Promise<void>
  /** Fetches what became of messages, for who listens for events; to be called twice a minute. */
  collectMailNews(): Promise<void>
  /** Takes over who logged in over SFTP. */
  collectLogins(): Promise<void>
  /** What the listener of the web tool for databases asks. */
  databaseTool: DatabaseToolDoor
  /** Ends sessions of that tool whose holder has lost his right; to be called every few seconds. */
  checkDatabaseTool(): Promise<void>
  /** Ends what an earlier panel has left open in it; once. */
  beginDatabaseTool(): Promise<void>
  /** Whether the first administrator was ever created; for the UI's own `load`. */
  setupDone(): Promise<boolean>
}
