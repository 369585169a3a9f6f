import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { ListQuery } from '#handlers/ports/store.ts'

/** Substring search over columns, case-insensitive for ASCII; `%` and `_` in `q` mean themselves. */
export const matches = (columns: readonly string[], q: string): RawBuilder<SqlBool> => {
  const pattern = `%${q.replace(/[\\%_]/g, (special) => `\\${special}`)}%`
  const parts = columns.map(
    (column) => sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`,
  )
  return sql<SqlBool>`(${sql.join(parts, sql` or `)})`
}

/** Order and page of a list. Only columns in `sortable` are taken; ties are ordered by id. */
export const listTail = (
  query: ListQuery,
  idColumn: string,
  sortable: Readonly<Record<string, string>>,
) => {
  const column = (query.sort === undefined ? undefined : sortable[query.sort]) ?? idColumn
  const direction: 'asc' | 'desc' = query.order === 'desc' ? 'desc' : 'asc'
  return {
    column,
    direction,
    limit: query.perPage,
    offset: query.perPage === undefined ? undefined : ((query.page ?? 1) - 1) * query.perPage,
  }
}
