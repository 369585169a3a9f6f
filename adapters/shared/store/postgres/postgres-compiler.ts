import { ColumnNode, PostgresQueryCompiler, RawNode, ReferenceNode } from 'kysely'
import type { OperationNode, OrderByItemNode } from 'kysely'
import { SEQUENCE } from './postgres-schema.ts'
import { WORDS } from '../dialect-words.ts'

/** PostgreSQL's for each of the words. */
const OWN: Readonly<Record<keyof typeof WORDS, string>> = {
  like: 'ilike',
  rowid: SEQUENCE,
  numbers: '(select value::bigint from jsonb_array_elements_text(?::jsonb) as listed (value))',
  texts: '(select value from jsonb_array_elements_text(?::jsonb) as listed (value))',
  jsonArray: "coalesce(json_agg(?)::text, '[]')",
  // When the statement runs, not when its batch began to wait for its turn.
  nowMs: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  jobOfOperation: "(data::jsonb ->> 'job_id')",
}
const FRAGMENTS = new Map(
  (Object.keys(WORDS) as (keyof typeof WORDS)[]).map((name) => [
    WORDS[name] as string,
    OWN[name].split('?'),
  ]),
)

/**
 * Columns by which lists are ordered and which have a value in every row. Of them nothing is said
 * about such without, for then PostgreSQL uses no index: of 50,000 rows it sorts all instead.
 */
export const NEVER_NULL: ReadonlySet<string> = new Set([
  ...['id', 'username', 'primary_domain', 'plan', 'created_at'],
  ...['bandwidth_month', 'bandwidth_used_bytes', 'domain_name', 'domain_type', 'document_root'],
  ...['ssl_status', 'domain', 'at', 'day'],
])

/** The column that an expression is; null: it is more than that. */
const columnOf = (node: OperationNode): string | null => {
  if (ReferenceNode.is(node)) return columnOf(node.column)
  if (ColumnNode.is(node)) return node.column.name
  if (!RawNode.is(node) || node.sqlFragments.join('') !== '') return null
  const [only, ...more] = node.parameters
  return only === undefined || more.length > 0 ? null : columnOf(only)
}

const isDescending = ({ direction }: OrderByItemNode): boolean =>
  direction !== undefined && RawNode.is(direction) && direction.sqlFragments[0] === 'desc'

/** Writes the store's statements for PostgreSQL. */
export class PostgresStoreCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const sqlFragments = FRAGMENTS.get(node.sqlFragments.join('?'))
    super.visitRaw(sqlFragments === undefined ? node : { ...node, sqlFragments })
  }

  /** What has no value comes first, as in SQLite: lists look the same on every store. */
  protected override visitOrderByItem(node: OrderByItemNode): void {
    const column = columnOf(node.orderBy)
    const said = node.nulls !== undefined || (column !== null && NEVER_NULL.has(column))
    super.visitOrderByItem(said ? node : { ...node, nulls: isDescending(node) ? 'last' : 'first' })
  }
}
