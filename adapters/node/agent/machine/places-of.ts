import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { WrittenPlace } from './read-disks.ts'
import type { CountedPlace } from './read-fillers.ts'

/** Where a system's own database servers keep their data. */
const SYSTEM_DATA = ['/var/lib/mysql', '/var/lib/postgresql']

/** Where an installation and its accounts write, and what of it may be counted. */
export const placesOf = (
  config: ServerConfig,
): { written: WrittenPlace[]; counted: CountedPlace[] } => {
  const { paths, cache, databases } = config
  const at = (name: string): string => join(paths.state_dir, name)
  const stored = cache.storage === 'disk' ? cache.disk_path : null
  const isSystem = databases.mariadb === 'system' || databases.postgresql === 'system'
  const systemData =
    isSystem || databases.mariadb === 'auto'
      ? SYSTEM_DATA.map((path) => ({ path, holds: 'databases' }))
      : []
  return {
    written: [
      { path: paths.home_base, holds: 'homes' },
      { path: paths.state_dir, holds: "the panel's records" },
      { path: at('backups'), holds: 'backups' },
      { path: at('databases'), holds: 'databases' },
      ...systemData,
      ...(stored ? [{ path: stored, holds: 'stored pages' }] : []),
      { path: paths.log_dir, holds: 'logs' },
      { path: paths.run_dir, holds: 'sockets of running programs' },
      { path: '/tmp', holds: 'temporary files' },
    ],
    counted: [
      { path: at('backups'), what: 'backups' },
      { path: at('databases'), what: 'databases' },
      ...systemData.map(({ path }) => ({ path, what: 'databases' })),
      ...(stored ? [{ path: stored, what: 'stored pages' }] : []),
      { path: paths.log_dir, what: 'logs' },
      { path: paths.install_dir, what: 'versions of Berth' },
      { path: '/var/log', what: 'logs of the system' },
      { path: '/var/cache/apt', what: 'downloaded packages' },
    ],
  }
}
