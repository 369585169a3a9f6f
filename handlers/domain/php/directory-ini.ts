import { phpHomeFileProblem, phpIniProblem } from './ini-rules.ts'

/** What PHP takes from its main configuration alone (`PHP_INI_SYSTEM`); a trailing `*` stands for any end. */
const SYSTEM_ONLY = [
  'allow_url_*',
  'apc.*',
  'browscap',
  'curl.cainfo',
  'file_uploads',
  'hard_timeout',
  'mysqli.allow_*',
  'mysqli.default_socket',
  'mysqli.local_infile_directory',
  'mysqli.max_*',
  'mysqli.rollback_on_cached_plink',
  'mysqlnd.*',
  'opcache.*',
  'openssl.*',
  'pdo_mysql.default_socket',
  'pgsql.*',
  'phar.cache_list',
  'realpath_cache_*',
  'xmlrpc_errors',
  'zend.signal_check',
] as const

/** Settings of one directory: far more than any file holds, and still a small message. */
export const MAX_DIRECTORY_SETTINGS = 32

/** A switch that a directory may turn, though its family is the server's. */
const SWITCHES: readonly string[] = ['opcache.enable']

const isSystemOnly = (name: string): boolean =>
  !SWITCHES.includes(name) &&
  SYSTEM_ONLY.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name))

/**
 * What is wrong with a setting that a directory's rules (`php_value`) give PHP;
 * null when nothing is. Less may be set than for a virtual host: nothing that
 * PHP would not take from a directory under Apache. `home`: null where the site
 * belongs to no account.
 */
export const directoryIniProblem = (
  name: string,
  value: string,
  home: string | null,
): string | null => {
  if (name === 'memory_limit')
    return /^(?:-1|\d{1,9}[KMG]?)$/i.test(value) ? null : 'must be a size such as 256M.'
  if (isSystemOnly(name)) return 'can be set for the whole server only. Remove it.'
  return phpIniProblem(name, value) ?? phpHomeFileProblem(name, value, home)
}

/** Settings of a directory that PHP gets, and the names of those that it does not get. */
export interface DirectoryIni {
  ini: Readonly<Record<string, string>>
  refused: readonly string[]
}

/** Sorts out what a directory's rules may set; in the order of names, so that equal settings are equal texts. */
export const directoryIni = (
  given: Iterable<readonly [string, string]>,
  home: string | null,
): DirectoryIni => {
  const ini: [string, string][] = []
  const refused: string[] = []
  for (const [name, value] of given) {
    if (ini.length === MAX_DIRECTORY_SETTINGS || directoryIniProblem(name, value, home) !== null)
      refused.push(name)
    else ini.push([name, value])
  }
  ini.sort(([one], [other]) => (one < other ? -1 : 1))
  return { ini: Object.fromEntries(ini), refused }
}
