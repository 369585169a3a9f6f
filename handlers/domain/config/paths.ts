import type { PathsConfig } from './config-types.ts'

/** `path` made absolute against `base` and normalised, POSIX rules. Both as written in the configuration. */
export const resolvePath = (base: string, path: string): string => {
  const full = path.startsWith('/') ? path : `${base}/${path}`
  const parts: string[] = []
  for (const part of full.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** Directory of a file path. */
export const directoryOf = (file: string): string => resolvePath(file, '..')

/** The system-wide configuration file. */
export const SYSTEM_CONFIG_FILE = '/etc/berth/berth.toml'
/** Where the system-wide installation keeps its state. */
export const SYSTEM_STATE_DIRECTORY = '/var/lib/berth'
/** Where a normal user's instance keeps its file, below the checkout. */
export const ROOTLESS_CONFIG_FILE = 'var/berth.toml'

/**
 * The longest `run_dir`: a unix socket's path has 107 bytes at most, and the
 * names below it (`php/<account>-<version>.sock`) take up to 36.
 */
export const RUN_DIR_MAX_BYTES = 70

/**
 * Fills in the paths that the file leaves out: the file system hierarchy's
 * places for the system-wide installation, next to the file for a normal user.
 */
export const completePaths = (
  given: { [K in keyof PathsConfig]?: string | undefined },
  where: { root: boolean; directory: string },
): PathsConfig => {
  const at = (value: string | undefined, fallback: string): string =>
    resolvePath(where.directory, value ?? fallback)
  const state_dir = at(given.state_dir, where.root ? SYSTEM_STATE_DIRECTORY : 'state')
  const below = (name: string): string => `${state_dir}/${name}`
  return {
    state_dir,
    home_base: at(given.home_base, where.root ? '/home' : below('home')),
    run_dir: at(given.run_dir, where.root ? '/run/berth' : 'run'),
    log_dir: at(given.log_dir, where.root ? '/var/log/berth' : 'log'),
    install_dir: at(given.install_dir, where.root ? '/opt/berth' : below('install')),
    vhosts_dir: at(given.vhosts_dir, below('vhosts.d')),
    secrets_dir: at(
      given.secrets_dir,
      // Secrets of the system-wide installation lie beside its file; others keep them with their state.
      where.root && state_dir === SYSTEM_STATE_DIRECTORY ? '/etc/berth/secrets' : below('secrets'),
    ),
  }
}
