import type { DatabaseEngine } from '../records.ts'

/** Part of the store: how large databases were, once a day. They go with their database. */
export interface DatabaseSizesStore {
  /** Oldest day first; `day` as `2026-11-24` (UTC). */
  databaseSizes(databaseId: number): Promise<{ day: string; size_bytes: number }[]>
  /** Databases of which nothing is noted for that day, with the names of their accounts. */
  databasesWithoutSize(
    day: string,
  ): Promise<{ id: number; engine: DatabaseEngine; database_name: string; username: string }[]>
  /** Notes sizes of a day, of which the first ones stay, and forgets the days before `before`. */
  putDatabaseSizes(
    day: string,
    sizes: readonly { database_id: number; size_bytes: number }[],
    before: string,
  ): Promise<void>
}
