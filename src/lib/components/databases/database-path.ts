import type { Account, Database } from '$lib/api/types'

/** Address of a database in the API. */
export const databasePath = ({ id }: Account, { database, engine }: Database): string =>
  `/api/databases/${id}/${encodeURIComponent(database)}?engine=${engine}`
