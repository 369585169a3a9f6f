import { databaseNameCandidates } from '../../domain/databases/database-name.ts'
import { conflict, notFound } from '../../errors.ts'
import type { DatabaseUserRow } from '../../ports/store/databases/database-users-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { sameFamily } from './find-database.ts'
import type { EngineName } from './find-database.ts'

/** A further user of an account's databases by short or full name; 404, and 409 where two engines have it and `engine` does not say which. */
export const findDatabaseUser = async (
  store: ServiceDeps['store'],
  { id, username }: { id: number; username: string },
  name: string,
  engine: EngineName | null,
): Promise<DatabaseUserRow> => {
  const rows = await store.listDatabaseUsers(id)
  const fitting = rows.filter((row) => engine === null || sameFamily(row.engine, engine))
  for (const candidate of databaseNameCandidates(username, name)) {
    const [row, second] = fitting.filter((one) => one.name === candidate)
    if (second !== undefined)
      throw conflict(
        `${candidate} exists in ${row?.engine} and ${second.engine}. Say which with ?engine=.`,
        'engine',
      )
    if (row !== undefined) return row
  }
  throw notFound(
    `Account ${username} has no further database user ${name}. List them to see which there are.`,
  )
}
