import type { Kysely, QueryResult, RawBuilder } from 'kysely'
import type { RunBatch } from './batch.ts'
import type { Tables } from './schema.ts'

/**
 * What reads. It begins no statement that changes something, and it is no executor that a raw one
 * could be handed to.
 */
export interface StoreReader {
  selectFrom: Kysely<Tables>['selectFrom']
  /** Runs a raw statement, which only reads. */
  query<Row>(statement: RawBuilder<Row>): Promise<QueryResult<Row>>
}

/** Compiles statements for `runBatch`; they never run by themselves: `execute` throws. */
export type StoreWriter = Kysely<Tables>

/**
 * What each part of the store works with. Whatever changes something goes through `runBatch`, so
 * that every runtime has one place in which writes are put into order and their conditions hold.
 */
export interface StoreContext {
  db: StoreReader
  write: StoreWriter
  runBatch: RunBatch
}
