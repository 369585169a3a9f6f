import { CompiledQuery } from 'kysely'
import type { RunBatch } from './batch.ts'
import { MIGRATIONS } from './migrations/migrations.ts'

const VERSIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_versions (
  version INTEGER PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)`

/**
 * Brings the schema to the newest version, each version in one transaction.
 * Throws when the store was written by a newer program, which this one could
 * only damage.
 */
export const migrate = async (runBatch: RunBatch): Promise<void> => {
  const [, versions] = await runBatch([
    CompiledQuery.raw(VERSIONS_TABLE),
    CompiledQuery.raw('SELECT coalesce(max(version), 0) AS version FROM schema_versions'),
  ])
  const present = Number(versions?.rows[0]?.['version'] ?? 0)
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  if (present > newest) {
    throw new Error(
      `The store has schema version ${present}, this program knows ${newest}. Start the newer program, or restore an older copy of the store.`,
    )
  }
  for (const { version, statements } of MIGRATIONS) {
    if (version <= present) continue
    await runBatch([
      // First, so that of two programs migrating at once the second fails here and changes nothing.
      CompiledQuery.raw('INSERT INTO schema_versions (version) VALUES (?)', [version]),
      ...statements.map((statement) => CompiledQuery.raw(statement)),
    ])
  }
}
