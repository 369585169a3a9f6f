import type Database from 'better-sqlite3'
import type { Client } from 'pg'
import { VERSIONS_TABLE } from '#adapters/shared/store/migrate.ts'
import { MIGRATIONS } from '#adapters/shared/store/migrations/migrations.ts'
import { toPostgres } from '#adapters/shared/store/postgres/postgres-schema.ts'

/** The statements that make the schema of a version, and record it. Throws where this program does not know it. */
const statementsOf = (version: number): string[] => {
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  if (version < 1) throw new Error('There is no store of a panel.')
  if (version > newest)
    throw new Error(
      `The store has schema version ${version}, this program knows ${newest}. Use the newer program.`,
    )
  return [
    VERSIONS_TABLE,
    ...MIGRATIONS.filter((one) => one.version <= version).flatMap((one) => [
      `INSERT INTO schema_versions (version) VALUES (${one.version})`,
      ...one.statements,
    ]),
  ]
}

/** Every name that a table of ours ever had. */
const ownTables = (): string[] => [
  'schema_versions',
  ...new Set(
    MIGRATIONS.flatMap(({ statements }) =>
      statements.flatMap((statement) => {
        const [, made] = /^\s*CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/i.exec(statement) ?? []
        const [, renamed] = /\bRENAME TO "?(\w+)/i.exec(statement) ?? []
        return [made, renamed].filter((name) => name !== undefined)
      }),
    ),
  ),
]

const NEWEST = 'SELECT coalesce(max(version), 0) AS version FROM schema_versions'

/** The version of the schema in a SQLite file; 0: there is none. */
export const sqliteVersion = (db: Database.Database): number =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_versions'").get() === undefined
    ? 0
    : Number(db.prepare(NEWEST).pluck().get())

/** The version of the schema in a database; 0: there is none. */
export const postgresVersion = async (client: Client): Promise<number> => {
  const { rows: found } = await client.query<{ name: string | null }>(
    "select to_regclass('public.schema_versions')::text as name",
  )
  if ((found[0]?.name ?? null) === null) return 0
  const { rows } = await client.query<{ version: number | string }>(NEWEST)
  return Number(rows[0]?.version)
}

/** Makes the schema of a version in an empty SQLite file. */
export const makeSqliteSchema = (db: Database.Database, version: number): void => {
  for (const statement of statementsOf(version)) db.exec(statement)
}

/** Takes our tables away, and no others, and makes them as a version has them. */
export const makePostgresSchema = async (client: Client, version: number): Promise<void> => {
  const statements = statementsOf(version)
  await client.query(
    `drop table if exists ${ownTables()
      .map((name) => `public."${name}"`)
      .join(', ')}`,
  )
  for (const statement of statements) await client.query(toPostgres(statement))
}
