import { databaseNameCandidates } from '../../domain/databases/database-name.ts'
import { conflict, notFound } from '../../errors.ts'
import type { DatabaseEngine, DatabaseRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What a client may write as engine. */
export type EngineName = 'mysql' | 'mariadb' | 'postgresql' | 'postgres'

export const isPostgres = (engine: string): boolean =>
  engine === 'postgresql' || engine === 'postgres'

/** Whether a database is one of the servers that are asked for. */
export const sameFamily = (row: DatabaseEngine, asked: EngineName): boolean =>
  isPostgres(row) === isPostgres(asked)

/** A database of an account by its short or full name; 404, and 409 where two engines have it and `engine` does not say which. */
export const findDatabase = async (
  store: ServiceDeps['store'],
  { id, username }: { id: number; username: string },
  name: string,
  engine: EngineName | null,
): Promise<DatabaseRow> => {
  const rows = await store.listDatabases(id)
  const fitting = rows.filter((row) => engine === null || sameFamily(row.engine, engine))
  for (const candidate of databaseNameCandidates(username, name)) {
    const [row, second] = fitting.filter((one) => one.database_name === candidate)
    if (second !== undefined) {
      throw conflict(
        `${candidate} exists in ${row?.engine} and ${second.engine}. Say which with ?engine=.`,
        'engine',
      )
    }
    if (row !== undefined) return row
  }
  throw notFound(`Database ${name} not found in account ${username}.`)
}
