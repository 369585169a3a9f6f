import { PHP_EXTENSIONS } from '#handlers/domain/php/extensions.ts'
import { phpIni, quoted, safePath, wholeNumber } from './php-ini.ts'
import type { PhpIniSettings } from './php-ini.ts'

/** What a master's configuration is made of; everything comes from the registry and `berth.toml`. */
export interface FpmSettings extends PhpIniSettings {
  username: string
  /** The master's own log, in a directory that is not the tenant's. */
  logFile: string
  /** Address of the inherited listening socket (see `inheritedAddress`). */
  listen: string
  maxChildren: number
}

/**
 * Options that FPM reads before pools exist; in a pool they would have no
 * effect. Shared memory is reserved, not used, until scripts fill it.
 */
export const START_VALUES: Readonly<Record<string, string>> = {
  'opcache.enable': '1',
  'opcache.memory_consumption': '96',
  'opcache.max_accelerated_files': '16229',
  enable_dl: '0',
}

/** Command-line options of a master: our start values, and those of the virtual host that belong there. */
export const fpmStartOptions = (ini: Readonly<Record<string, string>>): string[] => {
  const chosen = Object.entries(ini).filter(([name]) => name.startsWith('opcache.'))
  return Object.entries({ ...START_VALUES, ...Object.fromEntries(chosen) }).flatMap(
    ([name, value]) => ['-d', `${name}=${/^\w*$/.test(value) ? value : `"${value}"`}`],
  )
}

/**
 * Configuration of one account's master. What a site may want to change itself
 * is `php_value`, the rest `php_admin_value`.
 */
export const renderFpmConfig = (settings: FpmSettings): string => {
  const home = safePath('home', settings.home)
  const timeout = wholeNumber('request timeout', settings.requestTimeoutSecs)
  if (!/^[a-z0-9]{1,32}$/.test(settings.username)) throw new Error('unusable username')
  const { fixed, open } = phpIni(settings)
  return [
    `; Generated for account ${settings.username}. Changes are overwritten.`,
    `; Started with ${fpmStartOptions(settings.ini).join(' ')}`,
    '[global]',
    'daemonize = no',
    // Not in the home: a pipe in its place would keep the master from starting.
    `error_log = ${quoted('log file', safePath('log file', settings.logFile))}`,
    'log_level = notice',
    'process_control_timeout = 30s',
    '',
    `[${settings.username}]`,
    `listen = ${quoted('socket', safePath('socket', settings.listen))}`,
    'pm = ondemand',
    `pm.max_children = ${wholeNumber('max_children', settings.maxChildren)}`,
    'pm.process_idle_timeout = 30s',
    'pm.max_requests = 2000',
    `request_terminate_timeout = ${timeout}s`,
    'catch_workers_output = yes',
    'decorate_workers_output = no',
    'clear_env = yes',
    `security.limit_extensions = ${PHP_EXTENSIONS.join(' ')}`,
    'env[PATH] = "/usr/local/bin:/usr/bin:/bin"',
    `env[HOME] = ${quoted('home', home)}`,
    `env[USER] = ${quoted('username', settings.username)}`,
    `env[TMPDIR] = ${quoted('home', `${home}/tmp`)}`,
    ...fixed.map(([name, value]) => `php_admin_value[${name}] = ${value}`),
    ...open.map(([name, value]) => `php_value[${name}] = ${value}`),
    '',
  ].join('\n')
}
