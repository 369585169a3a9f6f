/** Names of settings that keep accounts apart, or that the server relies on; a trailing `*` stands for any end. */
const RESERVED = [
  'open_basedir',
  'disable_functions',
  'disable_classes',
  'extension',
  'zend_extension',
  'extension_dir',
  'enable_dl',
  'sendmail_path',
  'mail.log',
  'error_log',
  'log_errors',
  'syslog.*',
  'session.save_path',
  'upload_tmp_dir',
  'sys_temp_dir',
  'doc_root',
  'user_dir',
  'user_ini.*',
  'cgi.*',
  'fastcgi.*',
  'fpm.*',
  'ffi.*',
  'expose_php',
  'auto_globals_jit',
  'opcache.file_cache*',
  'opcache.lockfile_path',
  'opcache.mmap_base',
  'opcache.preload*',
  'opcache.error_log',
  'opcache.blacklist_filename',
  'opcache.restrict_api',
  'opcache.revalidate_freq',
  'opcache.validate_timestamps',
  'opcache.validate_root',
  'opcache.validate_permission',
] as const

/** Files that PHP runs with every script: only the account's own. */
const HOME_FILE_SETTINGS: readonly string[] = ['auto_prepend_file', 'auto_append_file']

/** Longest value, in characters. */
const MAX_VALUE = 1024
/** Most settings of one virtual host. */
export const MAX_INI_SETTINGS = 64

const isReserved = (name: string): boolean =>
  RESERVED.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name))

/** What is wrong with a setting of php.ini for one virtual host, and how to fix it; null when nothing is. */
export const phpIniProblem = (name: string, value: string): string | null => {
  if (!/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/.test(name) || name.length > 100)
    return 'is not the name of a PHP setting. Write it as php.ini does, such as "date.timezone".'
  if (name === 'memory_limit') return 'has a key of its own. Set memory_limit beside ini.'
  if (isReserved(name))
    return 'is set by the server and cannot be changed for a virtual host. Remove it.'
  if (value.length > MAX_VALUE) return `is longer than ${MAX_VALUE} characters. Shorten it.`
  // PHP reads them between double quotes, where these three begin something else.
  if (/["\\$\p{Cc}]/u.test(value))
    return 'holds a control character or one of " \\ $, which PHP would take for syntax. Remove it.'
  return null
}

/** As `phpIniProblem`, for files that must lie in the home (absolute, normalised). */
export const phpHomeFileProblem = (
  name: string,
  value: string,
  home: string | null,
): string | null => {
  if (!HOME_FILE_SETTINGS.includes(name) || value === '') return null
  const inside = home === null || value.startsWith(`${home}/`)
  return inside && value.startsWith('/') && !value.split('/').includes('..')
    ? null
    : `must be an absolute path inside the home${home === null ? '' : ` (${home})`}.`
}
