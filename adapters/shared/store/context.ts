import type { Kysely } from 'kysely'
import type { RunBatch } from './batch.ts'
import type { Tables } from './schema.ts'

/** What each part of the store works with. */
export interface StoreContext {
  db: Kysely<Tables>
  runBatch: RunBatch
}
