import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Identities } from '../process/identities.ts'
import { linkDirectory } from './link-directory.ts'

/** Who a directory belongs to; null ids mean root. */
export interface OwnedDirectory {
  /** Absolute. */
  path: string
  uid: number | null
  gid: number | null
  mode: number
}

/** Where a process keeps its compiled sources: starting takes half the time with it. Its own, for what lies there is run. */
export const compileCacheOf = (
  stateDir: string,
  name: 'agent' | 'panel' | 'web' | 'link',
): string => join(stateDir, 'compile-cache', name)

/** The table of owners and modes; everything else follows from it. */
export const directoriesOf = (
  { paths, cache, ssl }: ServerConfig,
  who: Identities,
): OwnedDirectory[] => {
  const panel = who.panel
  const web = who.web
  const own = (path: string): OwnedDirectory => ({
    path,
    uid: who.backup?.uid ?? null,
    gid: who.backup?.gid ?? null,
    mode: 0o700,
  })
  const root = (path: string, mode: number, gid: number | null = null): OwnedDirectory => ({
    path,
    uid: null,
    gid,
    mode,
  })
  const list: OwnedDirectory[] = [
    root(paths.state_dir, 0o755),
    root(paths.run_dir, 0o755),
    root(paths.log_dir, 0o755),
    root(paths.secrets_dir, 0o711),
    {
      path: join(paths.state_dir, 'panel'),
      uid: panel?.uid ?? null,
      gid: panel?.gid ?? null,
      mode: 0o700,
    },
    root(join(paths.state_dir, 'agent'), 0o700),
    // Which panels this machine obeys, and its certificate for them.
    root(linkDirectory(paths), 0o750, who.link?.gid ?? null),
    root(paths.vhosts_dir, 0o750, web?.gid ?? null),
    root(ssl.directory, 0o750, web?.gid ?? null),
    root(join(paths.state_dir, 'backups'), 0o700),
    // Repositories of snapshots; what the engine keeps to be quicker; what a snapshot is made of beside the home.
    own(join(paths.state_dir, 'snapshots')),
    own(join(paths.state_dir, 'snapshot-cache')),
    root(join(paths.state_dir, 'snapshot-staging'), 0o700),
    root(join(paths.state_dir, 'snapshot-work'), 0o711),
    {
      path: cache.disk_path ?? join(paths.state_dir, 'cache'),
      uid: web?.uid ?? null,
      gid: web?.gid ?? null,
      mode: 0o700,
    },
    // Pages that the web server's processes share in memory.
    {
      path: join(paths.run_dir, 'pages'),
      uid: web?.uid ?? null,
      gid: web?.gid ?? null,
      mode: 0o700,
    },
    {
      path: join(paths.state_dir, 'spool'),
      uid: web?.uid ?? null,
      gid: web?.gid ?? null,
      mode: 0o700,
    },
    { path: join(paths.log_dir, 'web'), uid: web?.uid ?? null, gid: web?.gid ?? null, mode: 0o750 },
    ...(['agent', 'panel', 'web', 'link'] as const).map((name) => {
      const user = name === 'agent' ? null : who[name]
      const path = compileCacheOf(paths.state_dir, name)
      return { path, uid: user?.uid ?? null, gid: user?.gid ?? null, mode: 0o700 }
    }),
  ]
  return list
}

/** Owner and mode of a directory, set on the opened directory itself: a link put in its place is refused. */
const settle = ({ path, uid, gid, mode }: OwnedDirectory, asRoot: boolean): void => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    const stat = fstatSync(fd)
    if (asRoot && (stat.uid !== (uid ?? 0) || stat.gid !== (gid ?? 0)))
      fchownSync(fd, uid ?? 0, gid ?? 0)
    if ((stat.mode & 0o7777) !== mode) fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

/** The directory of the lock, which comes before everything else. */
export const prepareRunDirectory = ({ paths }: ServerConfig, who: Identities): void => {
  mkdirSync(paths.run_dir, { recursive: true, mode: 0o755 })
  settle({ path: paths.run_dir, uid: null, gid: null, mode: 0o755 }, who.root)
}

/**
 * Creates every directory that the processes need, with the owner and mode
 * that keeps the others out. Answers whether this is the first start.
 */
export const prepareDirectories = (
  config: ServerConfig,
  who: Identities,
): { firstStart: boolean } => {
  const panelDir = join(config.paths.state_dir, 'panel')
  const firstStart = lstatSync(panelDir, { throwIfNoEntry: false }) === undefined
  // Homes keep the mode they have: /home is the system's.
  mkdirSync(config.paths.home_base, { recursive: true, mode: 0o755 })
  for (const directory of directoriesOf(config, who)) {
    mkdirSync(dirname(directory.path), { recursive: true, mode: 0o755 })
    mkdirSync(directory.path, { recursive: true, mode: directory.mode })
    settle(directory, who.root)
  }
  if (who.root && who.confGid !== null) {
    // The unprivileged processes read the configuration through their common group.
    chownSync(config.file, 0, who.confGid)
    chmodSync(config.file, 0o640)
  }
  return { firstStart }
}
