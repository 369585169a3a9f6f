import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { ListQuery } from '#handlers/ports/store/store.ts'
import { LIKE } from './dialect-words.ts'

/** Substring search over columns, case-insensitive for ASCII; `%` and `_` in `q` mean themselves. */
export const matches = (columns: readonly string[], q: string): RawBuilder<SqlBool> => {
  const pattern = `%${q.replace(/[\\%_]/g, (special) => `\\${special}`)}%`
  const parts = columns.map(
    (column) => sql<SqlBool>`${sql.ref(column)} ${LIKE} ${pattern} escape '\\'`,
  )
  return sql<SqlBool>`(${sql.join(parts, sql` or `)})`
}

/**
 * The conditions of those filters that a list knows, joined by `and`; null when
 * there are none. `known` makes the condition of one filter from its value.
 */
export const filtered = (
  { filters = {} }: ListQuery,
  known: Readonly<Record<string, (value: string) => RawBuilder<SqlBool>>>,
): RawBuilder<SqlBool> | null => {
  const parts = Object.entries(filters).flatMap(([name, value]) => {
    const condition = Object.hasOwn(known, name) ? known[name] : undefined
    return condition === undefined ? [] : [condition(value)]
  })
  return parts.length === 0 ? null : sql<SqlBool>`(${sql.join(parts, sql` and `)})`
}

/** The condition that a column has exactly the value of a filter. */
export const equals =
  (column: string) =>
  (value: string): RawBuilder<SqlBool> =>
    sql<SqlBool>`${sql.ref(column)} = ${value}`

/**
 * Whose rows a list has, by the column with the account's id; null: everybody's. Account 0,
 * which is nobody's, stands for all those of `resellerId`: a list that knows no resellers
 * shows them nothing.
 */
export const ownedBy = (
  { accountId, resellerId }: { accountId?: number | undefined; resellerId?: number | undefined },
  column: string,
): RawBuilder<SqlBool> | null => {
  const one = accountId === undefined ? null : sql<SqlBool>`${sql.ref(column)} = ${accountId}`
  if (resellerId === undefined) return one
  const his = sql<SqlBool>`${sql.ref(column)} in (select id from accounts where reseller_id = ${resellerId})`
  return one === null || accountId === 0 ? his : sql<SqlBool>`(${one} and ${his})`
}

/** How many rows a list has without paging; `count` is asked only where the page at hand does not tell. */
export const totalOf = async (
  found: number,
  { limit, offset = 0 }: { limit: number | undefined; offset: number | undefined },
  count: () => Promise<{ total: number }>,
): Promise<number> => {
  const isLast = limit === undefined || found < limit
  return isLast && (found > 0 || offset === 0) ? offset + found : Number((await count()).total)
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

/** The page in a raw statement; without a limit all that is left. */
export const pageOf = (limit: number | undefined, offset: number): RawBuilder<unknown> =>
  limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`
