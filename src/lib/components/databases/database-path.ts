import type { Account, Database } from '$lib/api/types'

/** Address of a database in the API, or of what can be done with it. */
export const databasePath = (
  { id }: Account,
  { database, engine }: Database,
  what?: 'export' | 'import' | 'tool' | 'sizes' | 'slow-queries',
): string =>
  `/api/databases/${id}/${encodeURIComponent(database)}${what === undefined ? '' : `/${what}`}?engine=${engine}`
