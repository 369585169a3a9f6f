import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountRoomsOptions } from '../../process/account-rooms.ts'

/** Where this installation keeps what is an account's own in its room, and what accounts' programs need to reach. */
export const accountRoomsOf = (
  { paths, databases, php, file }: ServerConfig,
  log: Log,
): AccountRoomsOptions => ({
  directory: join(paths.state_dir, 'account-tmp'),
  needed: [
    ...Object.values(paths),
    dirname(file),
    process.execPath,
    fileURLToPath(new URL('../../../..', import.meta.url)),
    databases.mariadb_socket,
    databases.postgresql_socket,
    php.lsphp_directory,
  ],
  log,
})
