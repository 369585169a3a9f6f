/** Files in which known applications, PHP and the web server keep absolute paths, by their names. */
const KNOWN = new Set([
  '.htaccess',
  '.user.ini',
  'AdditionalConfiguration.php',
  'LocalConfiguration.php',
  'LocalSettings.php',
  'additional.php',
  'advanced-cache.php',
  'config.inc.php',
  'config.ini.php',
  'config.php',
  'configuration.php',
  'env.php',
  'parameters.php',
  'php.ini',
  'settings.inc.php',
  'settings.local.php',
  'settings.php',
  'wordfence-waf.php',
  'wp-cache-config.php',
  'wp-config.php',
])
const ENVIRONMENT = /^\.env(?:\.[a-z]{1,20}){0,2}$/

/** Larger ones are none that anybody wrote. */
export const MAX_CONFIG_BYTES = 2 ** 20
/** Files of one home. */
export const MAX_CONFIGS = 1000
/** Of all of them together. */
export const MAX_CONFIGS_BYTES = 32 * 2 ** 20
/** Folders above one. */
export const MAX_CONFIG_DEPTH = 24

/** Whether a file of that name is the configuration of a known application. */
export const isKnownConfig = (name: string): boolean => KNOWN.has(name) || ENVIRONMENT.test(name)

/** Whether what an archive calls its home may be one that paths are replaced of: plain, and below another folder. */
export const isPlainHome = (home: string): boolean =>
  home.length <= 200 &&
  /^(?:\/[\w.-]+)+$/.test(home) &&
  home.lastIndexOf('/') > 0 &&
  !home.split('/').some((part) => part === '.' || part === '..')

/** A configuration file that names a home, and how often. */
export interface NamedHome {
  /** Below the home. */
  path: string
  paths: number
}
