/** What a master's configuration is made of; everything comes from the registry and `berth.toml`. */
export interface FpmSettings {
  username: string
  home: string
  /** The master's own log, in a directory that is not the tenant's. */
  logFile: string
  /** Address of the inherited listening socket (see `inheritedAddress`). */
  listen: string
  maxChildren: number
  memoryLimit: string
  /** Seconds for one request. */
  requestTimeoutSecs: number
  /** Socket that `localhost` means to mysqli and PDO; null leaves PHP's default. */
  databaseSocket: string | null
  /** Command of `mail()`. */
  sendmailCommand: string
}

/** Read by PHP besides the home: PEAR's classes and the kernel's random numbers. */
const SHARED_PATHS = ['/usr/share/php/', '/dev/urandom']

/**
 * PHP's ini scanner has quoting, variables and constants; FPM adds `$pool`.
 * Rather than escape all of that, values are limited to characters that have no
 * meaning in either, and quoted so that blanks stay.
 */
const SAFE_TEXT = /^[A-Za-z0-9_./@+~,:= -]*$/

const quoted = (what: string, value: string): string => {
  if (!SAFE_TEXT.test(value))
    throw new Error(
      `${what} ${JSON.stringify(value)} holds characters that a PHP-FPM configuration cannot ` +
        `carry safely. Use letters, digits and _ . / @ + ~ - only.`,
    )
  return `"${value}"`
}

const safePath = (what: string, value: string): string => {
  // A colon ends a path in open_basedir; a comma or equals sign one in FPM_SOCKETS.
  if (!/^\/[^:,=]*$/.test(value)) throw new Error(`${what} ${JSON.stringify(value)} is not usable`)
  return value
}

const wholeNumber = (what: string, value: number): string => {
  if (!Number.isInteger(value) || value < 1) throw new Error(`${what} must be a positive number`)
  return String(value)
}

/**
 * Options that FPM reads before pools exist; in a pool they would have no
 * effect. Shared memory is reserved, not used, until scripts fill it.
 */
export const FPM_START_OPTIONS: readonly string[] = [
  '-d',
  'opcache.enable=1',
  '-d',
  'opcache.memory_consumption=96',
  '-d',
  'opcache.max_accelerated_files=16229',
  '-d',
  'enable_dl=0',
]

/**
 * Configuration of one account's master. Isolation is the kernel's, by uid;
 * open_basedir is the second fence. What a site may want to change itself
 * (sizes, time limits) is `php_value`, the rest `php_admin_value`.
 */
export const renderFpmConfig = (settings: FpmSettings): string => {
  const home = safePath('home', settings.home)
  const timeout = wholeNumber('request timeout', settings.requestTimeoutSecs)
  if (!/^(-1|\d{1,6}[KMG]?)$/.test(settings.memoryLimit))
    throw new Error(`memory limit ${settings.memoryLimit} is not a PHP size such as 256M`)
  if (!/^[a-z0-9]{1,32}$/.test(settings.username)) throw new Error('unusable username')
  const admin: [string, string][] = [
    ['open_basedir', [`${home}/`, ...SHARED_PATHS].join(':')],
    ['session.save_path', `${home}/sessions`],
    ['upload_tmp_dir', `${home}/tmp`],
    ['sys_temp_dir', `${home}/tmp`],
    ['sendmail_path', settings.sendmailCommand],
    // PHP_SELF is the script and its PATH_INFO only with 1. The walk up the path that 1 allows ends
    // at security.limit_extensions, and the web server names existing scripts only.
    ['cgi.fix_pathinfo', '1'],
    // PHP's default looks at a script every 2 s only: a page made right after an acknowledged
    // purge would still be the old one, and then stay in the page cache.
    ['opcache.revalidate_freq', '0'],
    ['opcache.validate_timestamps', '1'],
    ...(settings.databaseSocket === null
      ? []
      : [
          ['mysqli.default_socket', safePath('database socket', settings.databaseSocket)] as [
            string,
            string,
          ],
          ['pdo_mysql.default_socket', settings.databaseSocket] as [string, string],
        ]),
  ]
  const open: [string, string][] = [
    ['memory_limit', settings.memoryLimit],
    ['max_execution_time', timeout],
    ['upload_max_filesize', '256M'],
    ['post_max_size', '256M'],
    // Debian turns the collection off because a cron job cleans its own directory; ours has none.
    ['session.gc_probability', '1'],
    ['session.gc_divisor', '1000'],
  ]
  return [
    `; Generated for account ${settings.username}. Changes are overwritten.`,
    `; Started with ${FPM_START_OPTIONS.join(' ')}`,
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
    'security.limit_extensions = .php',
    'env[PATH] = "/usr/local/bin:/usr/bin:/bin"',
    `env[HOME] = ${quoted('home', home)}`,
    `env[USER] = ${quoted('username', settings.username)}`,
    `env[TMPDIR] = ${quoted('home', `${home}/tmp`)}`,
    ...admin.map(([name, value]) => `php_admin_value[${name}] = ${quoted(name, value)}`),
    'php_admin_flag[expose_php] = off',
    // No error_log: PHP's errors then reach the web server on FastCGI's STDERR, the
    // only sign that a page with status 200 broke off half-way.
    'php_admin_flag[log_errors] = on',
    'php_flag[display_errors] = off',
    ...open.map(([name, value]) => `php_value[${name}] = ${quoted(name, value)}`),
    '',
  ].join('\n')
}
