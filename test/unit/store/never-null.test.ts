import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { MIGRATIONS } from '#adapters/shared/store/migrations/migrations.ts'
import { NEVER_NULL } from '#adapters/shared/store/postgres/postgres-compiler.ts'

it('columns by which PostgreSQL orders without a word about nulls have none in any table', () => {
  const db = new Database(':memory:')
  for (const statement of MIGRATIONS.flatMap(({ statements }) => statements)) db.exec(statement)
  const columns = db
    .prepare<[], { place: string; name: string; never: number }>(
      `select tables.name || '.' || columns.name as place, columns.name as name,
        columns."notnull" = 1 or columns.pk > 0 as never
      from sqlite_schema as tables join pragma_table_info(tables.name) as columns
      where tables.type = 'table' and tables.name not like 'sqlite%'`,
    )
    .all()
    .filter(({ name }) => NEVER_NULL.has(name))
  db.close()
  expect(new Set(columns.map(({ name }) => name))).toEqual(NEVER_NULL)
  expect(columns.flatMap(({ place, never }) => (never === 1 ? [] : [place]))).toEqual([])
})
