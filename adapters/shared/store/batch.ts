import type { CompiledQuery } from 'kysely'

/** Outcome of one statement of a batch. */
export interface BatchResult {
  rows: Record<string, unknown>[]
  /** Rows inserted, updated or deleted; 0 for reads. */
  changes: number
}

/**
 * Runs statements in order as one transaction: all take effect, or none. This is
 * the one capability beyond single statements that every runtime has (D1 knows
 * no interactive transactions), so conditions are written into the statements.
 */
export type RunBatch = (queries: readonly CompiledQuery[]) => Promise<BatchResult[]>
