import { dirname } from 'node:path'
import { expect } from 'vitest'
import {
  startPostgresIn,
  startStandbyIn,
  type PostgresServer,
  type StandbyServer,
} from '../servers/postgres-in.ts'
import { waitFor } from '../waiting/wait-for.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export type { PostgresServer, StandbyServer } from '../servers/postgres-in.ts'

/** See `startPostgresIn`; in a directory that goes with the test file. */
export const startPostgres = (...settings: string[]): Promise<PostgresServer> =>
  startPostgresIn(temporaryDirectory('bp-'), settings)

/** Starts a standby in such a directory, without whom the server answers no commit from then on. */
export const followedBy = async (primary: PostgresServer): Promise<StandbyServer> => {
  const standby = await startStandbyIn(temporaryDirectory('bp-'), dirname(primary.socket))
  try {
    await primary.query(`alter system set synchronous_standby_names = '*'`)
    await primary.query('select pg_reload_conf()')
    await waitFor(async () =>
      expect(await primary.query('select sync_state from pg_stat_replication')).toEqual([
        { sync_state: 'sync' },
      ]),
    )
    return standby
  } catch (error) {
    await standby.kill()
    throw error
  }
}
