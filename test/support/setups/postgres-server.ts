import { startPostgresIn, type PostgresServer } from '../servers/postgres-in.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export type { PostgresServer } from '../servers/postgres-in.ts'

/** See `startPostgresIn`; in a directory that goes with the test file. */
export const startPostgres = (...settings: string[]): Promise<PostgresServer> =>
  startPostgresIn(temporaryDirectory('bp-'), settings)
