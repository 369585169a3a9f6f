import {
  startPostgresIn,
  startStandbyIn,
  type PostgresServer,
  type StandbyServer,
} from '../servers/postgres-in.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export type { PostgresServer, StandbyServer } from '../servers/postgres-in.ts'

/** See `startPostgresIn`; in a directory that goes with the test file. */
export const startPostgres = (...settings: string[]): Promise<PostgresServer> =>
  startPostgresIn(temporaryDirectory('bp-'), settings)

/** See `startStandbyIn`; in a directory that goes with the test file. */
export const startStandby = (from: string): Promise<StandbyServer> =>
  startStandbyIn(temporaryDirectory('bp-'), from)
