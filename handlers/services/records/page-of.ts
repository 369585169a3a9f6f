import type { ListQuery, Page } from '../../ports/store/list-query.ts'

type Value = string | number | null

/** -1, 0 or 1; what is not known stands before everything. */
const compare = (a: Value, b: Value): number => {
  if (a === b) return 0
  if (a === null || (b !== null && a < b)) return -1
  return 1
}

/**
 * A list that is not in the store, filtered, ordered and paged as the store
 * does it: search without regard to case, `sort` only by a name in `sortable`,
 * rows of equal rank in the order they came. `filters` are the caller's part.
 */
export const pageOf = <Row>(
  rows: readonly Row[],
  query: ListQuery,
  how: {
    /** Texts of a row in which `q` is looked for. */
    searched: (row: Row) => readonly string[]
    sortable: Readonly<Record<string, (row: Row) => Value>>
  },
): Page<Row> => {
  const needle = query.q?.toLowerCase()
  const found = rows.filter(
    (row) =>
      needle === undefined || how.searched(row).some((text) => text.toLowerCase().includes(needle)),
  )
  const valueOf = query.sort === undefined ? undefined : how.sortable[query.sort]
  const sign = query.order === 'desc' ? -1 : 1
  if (valueOf !== undefined) found.sort((a, b) => sign * compare(valueOf(a), valueOf(b)))
  else if (sign === -1) found.reverse()
  if (query.perPage === undefined) return { rows: found, total: found.length }
  const first = ((query.page ?? 1) - 1) * query.perPage
  return { rows: found.slice(first, first + query.perPage), total: found.length }
}
