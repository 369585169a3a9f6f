import type { RunBatch } from '#adapters/shared/store/batch.ts'

/** D1's `batch` is one transaction. */
export const createD1Batch =
  (db: D1Database): RunBatch =>
  async (queries) => {
    const results = await db.batch<Record<string, unknown>>(
      queries.map((query) => db.prepare(query.sql).bind(...query.parameters)),
    )
    return results.map((result) => ({ rows: result.results, changes: result.meta.changes }))
  }
