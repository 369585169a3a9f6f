/** What PHP's own settings are made of; everything comes from the registry and `berth.toml`. */
export interface PhpIniSettings {
  home: string
  memoryLimit: string
  /** Seconds for one request. */
  requestTimeoutSecs: number
  /** Socket that `localhost` means to mysqli and PDO; null leaves PHP's default. */
  databaseSocket: string | null
  /** Command of `mail()`. */
  sendmailCommand: string
  /** Chosen for the virtual host; judged by `phpIniProblem` before it was recorded. */
  ini: Readonly<Record<string, string>>
}

/** Names with values that are already quoted for PHP's ini scanner. */
export interface PhpIni {
  /** Not for a site to change. */
  fixed: [string, string][]
  /** What a site may want to change itself (sizes, time limits). */
  open: [string, string][]
}

/** Read by PHP besides the home: PEAR's classes and the kernel's random numbers. */
const SHARED_PATHS = ['/usr/share/php/', '/dev/urandom']

/**
 * PHP's ini scanner has quoting, variables and constants; FPM adds `$pool`.
 * Rather than escape all of that, values are limited to characters that have no
 * meaning in either, and quoted so that blanks stay.
 */
const SAFE_TEXT = /^[A-Za-z0-9_./@+~,:= -]*$/
/** Between double quotes only these begin something: the end, an escape, a variable. */
const QUOTABLE_TEXT = /^[^"\\$\p{Cc}]*$/u

const quote = (what: string, value: string, allowed: RegExp): string => {
  if (!allowed.test(value))
    throw new Error(
      `${what} ${JSON.stringify(value)} holds characters that PHP's configuration cannot ` +
        `carry safely. Use letters, digits and _ . / @ + ~ - only.`,
    )
  return `"${value}"`
}

/** A value of ours between quotes. Throws for one that could become syntax. */
export const quoted = (what: string, value: string): string => quote(what, value, SAFE_TEXT)

/** An absolute path. A colon ends a path in open_basedir; a comma or equals sign one in FPM_SOCKETS. */
export const safePath = (what: string, value: string): string => {
  if (!/^\/[^:,=]*$/.test(value)) throw new Error(`${what} ${JSON.stringify(value)} is not usable`)
  return value
}

/** Digits of a count. */
export const wholeNumber = (what: string, value: number): string => {
  if (!Number.isInteger(value) || value < 1) throw new Error(`${what} must be a positive number`)
  return String(value)
}

const socketValues = (socket: string | null): [string, string][] => {
  if (socket === null) return []
  const path = safePath('database socket', socket)
  return [
    ['mysqli.default_socket', path],
    ['pdo_mysql.default_socket', path],
  ]
}

/**
 * PHP's settings for an account, the same in every mode. Isolation is the
 * kernel's, by uid; open_basedir is the second fence.
 */
export const phpIni = (settings: PhpIniSettings): PhpIni => {
  const home = safePath('home', settings.home)
  const timeout = wholeNumber('request timeout', settings.requestTimeoutSecs)
  if (!/^(-1|\d{1,9}[KMG]?)$/i.test(settings.memoryLimit))
    throw new Error(`memory limit ${settings.memoryLimit} is not a PHP size such as 256M`)
  const fixed: [string, string][] = [
    ['open_basedir', [`${home}/`, ...SHARED_PATHS].join(':')],
    ['session.save_path', `${home}/sessions`],
    ['upload_tmp_dir', `${home}/tmp`],
    ['sys_temp_dir', `${home}/tmp`],
    ['sendmail_path', settings.sendmailCommand],
    // PHP_SELF is the script and its PATH_INFO only with 1. The walk up the path that 1 allows ends
    // at the check of the script's extension, and the web server names existing scripts only.
    ['cgi.fix_pathinfo', '1'],
    // PHP's default looks at a script every 2 s only: a page made right after an acknowledged
    // purge would still be the old one, and then stay in the page cache.
    ['opcache.revalidate_freq', '0'],
    ['opcache.validate_timestamps', '1'],
    ['expose_php', '0'],
    // No error_log: PHP's errors then reach the web server on FastCGI's STDERR, the
    // only sign that a page with status 200 broke off half-way.
    ['log_errors', '1'],
    ...socketValues(settings.databaseSocket),
  ]
  const open: [string, string][] = [
    ['memory_limit', settings.memoryLimit],
    ['max_execution_time', timeout],
    ['upload_max_filesize', '256M'],
    ['post_max_size', '256M'],
    ['display_errors', '0'],
    // Debian turns the collection off because a cron job cleans its own directory; ours has none.
    ['session.gc_probability', '1'],
    ['session.gc_divisor', '1000'],
  ]
  return {
    fixed: fixed.map(([name, value]) => [name, quoted(name, value)]),
    open: [
      ...open
        .filter(([name]) => !(name in settings.ini))
        .map(([name, value]): [string, string] => [name, quoted(name, value)]),
      ...Object.entries(settings.ini).map(([name, value]): [string, string] => [
        name,
        quote(name, value, QUOTABLE_TEXT),
      ]),
    ],
  }
}
