import { CompiledQuery } from 'kysely'
import type { RunBatch } from './batch.ts'
import { MIGRATIONS } from './migrations/migrations.ts'

/** Which versions a store has. */
export const VERSIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_versions (
  version INTEGER PRIMARY KEY,
  applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)`

/**
 * Brings the schema to the newest version, each version in one transaction.
 * Throws when the store was written by a newer program, which this one could
 * only damage.
 *
 * @param inDialect writes a statement of the migrations, which are SQLite's, for another server
 */
export const migrate = async (
  runBatch: RunBatch,
  inDialect: (statement: string) => string = (statement) => statement,
): Promise<void> => {
  const presentVersion = async (): Promise<number> => {
    const [found] = await runBatch([
      CompiledQuery.raw('SELECT coalesce(max(version), 0) AS version FROM schema_versions'),
    ])
    return Number(found?.rows[0]?.['version'] ?? 0)
  }
  await runBatch([CompiledQuery.raw(inDialect(VERSIONS_TABLE))])
  const present = await presentVersion()
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  if (present > newest) {
    throw new Error(
      `The store has schema version ${present}, this program knows ${newest}. Start the newer program, or restore an older copy of the store.`,
    )
  }
  for (const { version, statements } of MIGRATIONS) {
    if (version <= present) continue
    try {
      await runBatch([
        // First, so that of two programs migrating at once the second fails here and changes nothing.
        CompiledQuery.raw(`INSERT INTO schema_versions (version) VALUES (${version})`),
        ...statements.map((statement) => CompiledQuery.raw(inDialect(statement))),
      ])
    } catch (error) {
      if ((await presentVersion()) < version) throw error
    }
  }
}
