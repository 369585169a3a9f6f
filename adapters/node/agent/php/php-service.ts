import type { PhpConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PhpPort } from '#handlers/ports/host/php.ts'
import type { AccountLock, Registry } from '../registry/types.ts'
import type { PhpPlaces } from '../../machine/find-php.ts'
import type { DirectorySettings } from './plans/directory-settings.ts'

/** What the PHP service is made of. */
export interface PhpPortDeps {
  registry: Registry
  lock: AccountLock
  config: PhpConfig
  runDir: string
  /** Group of the web server; null in rootless mode. */
  webGid: number | null
  /** Where masters log; default `php-log` in `runDir`. Its parents must let everyone pass. */
  logDir?: string
  /** Socket that `localhost` means to PHP's MySQL extensions; null when there is no server. */
  databaseSocket: () => string | null
  /** What `mail()` of an account runs. Default: a program that fails, so that PHP reports the mail as not sent. */
  sendmailCommand?: (username: string) => string
  /** Creates the directory (absolute, in the account's home) and missing parents as the account's uid. */
  ensureDirectory: (username: string, path: string) => Promise<void>
  /** Hosts of `berth.toml`; those that name an account get its PHP. Default: none. */
  virtualHosts?: () => readonly VirtualHostConfig[]
  /** Largest body of a request at any site; default 0: no limit. */
  maxBodyBytes?: number
  log: Log
  /** Where to look for PHP; default Debian's places. */
  places?: PhpPlaces
  /** Least idle time; default 15000, as the web server keeps a response of `ensure` for 10 s. */
  minIdleMs?: number
}

export interface PhpService extends PhpPort {
  /**
   * Makes sure that the PHP backend of a virtual host runs. Uid and command come
   * from the registry. `settings` are those of a directory's rules (see
   * `directoryIni`): PHP with them is a master of its own, of which an account has
   * a few; beyond, the host's own answers. 400 settings that may not be set, 404
   * unknown host or one without PHP, 409 suspended, 503 when PHP is missing or
   * does not start.
   */
  ensure(
    domain: string,
    settings?: DirectorySettings,
  ): Promise<{ socket: string; uid: number; protocol: 'fastcgi' | 'lsapi' }>
  /** Ends all PHP masters of the account at once; mark it suspended or gone first. */
  stopAccount(username: string): Promise<void>
  /** Replaces the account's running masters by fresh ones; what does not start is logged. */
  renewAccount(username: string): Promise<void>
  /** Stops every master; running requests get a moment. */
  stop(): Promise<void>
}
