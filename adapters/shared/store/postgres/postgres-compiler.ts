import { PostgresQueryCompiler } from 'kysely'
import type { OrderByItemNode, RawNode } from 'kysely'
import { SEQUENCE } from './postgres-schema.ts'
import { WORDS } from '../dialect-words.ts'

/** PostgreSQL's for each of the words. */
const OWN: Readonly<Record<keyof typeof WORDS, string>> = {
  like: 'ilike',
  rowid: SEQUENCE,
  numbers: '(select value::bigint from jsonb_array_elements_text(?::jsonb) as listed (value))',
  texts: '(select value from jsonb_array_elements_text(?::jsonb) as listed (value))',
  jsonArray: "coalesce(json_agg(?)::text, '[]')",
  jobOfOperation: "(data::jsonb ->> 'job_id')",
}
const FRAGMENTS = new Map(
  (Object.keys(WORDS) as (keyof typeof WORDS)[]).map((name) => [
    WORDS[name] as string,
    OWN[name].split('?'),
  ]),
)

const isDescending = ({ direction }: OrderByItemNode): boolean =>
  direction !== undefined && 'sqlFragments' in direction
    ? (direction as RawNode).sqlFragments[0] === 'desc'
    : false

/** Writes the store's statements for PostgreSQL. */
export class PostgresStoreCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const sqlFragments = FRAGMENTS.get(node.sqlFragments.join('?'))
    super.visitRaw(sqlFragments === undefined ? node : { ...node, sqlFragments })
  }

  /** What has no value comes first, as in SQLite: lists look the same on every store. */
  protected override visitOrderByItem(node: OrderByItemNode): void {
    super.visitOrderByItem(
      node.nulls ? node : { ...node, nulls: isDescending(node) ? 'last' : 'first' },
    )
  }
}
