import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

// What SQL has no one word for. SQLite's is written here; the compiler of another dialect finds
// these fragments again, whole and with `?` for what is put in, and writes its own in their place.
export const WORDS = {
  like: 'like',
  rowid: 'rowid',
  numbers: '(select value from json_each(?))',
  texts: '(select value as text from json_each(?))',
  jsonArray: 'json_group_array(?)',
  jobOfOperation: "json_extract(data, '$.job_id')",
  nowMs: "cast((julianday('now') - 2440587.5) * 86400000 as integer)",
} as const

/** Whether a text is like a pattern, in whatever case. */
export const LIKE = sql.raw(WORDS.like)

/** The order in which rows of a table without a number came. */
export const ROWID = sql.raw(WORDS.rowid)

/** The store's own time, in milliseconds since 1970. */
export const NOW_MS = sql.raw<number>(WORDS.nowMs)

/** The job that an operation belongs to. */
export const JOB_OF_OPERATION = sql.raw(WORDS.jobOfOperation)

/** The values of a list as a subquery: any number of them in one parameter. */
export const numbersOf = (values: readonly number[]): RawBuilder<unknown> =>
  sql`(select value from json_each(${JSON.stringify(values)}))`

/** The same of texts. */
export const textsOf = (values: readonly string[]): RawBuilder<unknown> =>
  sql`(select value as text from json_each(${JSON.stringify(values)}))`

/** Texts of rows as a JSON array. */
export const jsonArrayOf = (column: string): RawBuilder<string> =>
  sql<string>`json_group_array(${sql.ref(column)})`

/** The larger of two numbers of the same row. */
export const larger = (one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`case when ${one} > ${other} then ${one} else ${other} end`
