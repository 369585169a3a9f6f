import type { Client } from 'pg'
import { SEQUENCE } from '#adapters/shared/store/postgres/postgres-schema.ts'
import type { StoreSide, StoreTable } from './store-side.ts'

const quoted = (name: string): string => `"${name}"`
const listed = (names: readonly string[]): string => names.map(quoted).join(', ')

/** Rows that are fetched at a time. */
const FETCHED = 1000
/** The protocol numbers parameters with two bytes. */
const MOST_PARAMETERS = 60_000

interface Found {
  name: string
  columns: string[]
  key: string[]
  refers: string[]
}

const TABLES = `select c.relname as name,
  array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
    and not a.attisdropped and a.attname <> '${SEQUENCE}' order by a.attnum) as columns,
  coalesce((select array(select a.attname::text from unnest(i.indkey) with ordinality as k (number, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.place)
    from pg_index i where i.indrelid = c.oid and i.indisprimary), '{}') as key,
  array(select distinct f.confrelid::regclass::text from pg_constraint f
    where f.conrelid = c.oid and f.contype = 'f') as refers
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_versions'
order by c.relname`

/** The side of a PostgreSQL database, in whose transaction it works; its numbers are read as numbers. */
export const postgresSide = (client: Client): StoreSide => {
  /** Those with a sequence that rows are told of. */
  const numbered = async (): Promise<Set<string>> => {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public'
        and column_name = 'id' and is_identity = 'YES'`,
    )
    return new Set(rows.map(({ name }) => name))
  }
  const ordered = new Set<string>()
  return {
    async tables() {
      const own = await numbered()
      const { rows } = await client.query<Found>(TABLES)
      const { rows: sequenced } = await client.query<{ name: string }>(
        `select table_name as name from information_schema.columns
          where table_schema = 'public' and column_name = '${SEQUENCE}'`,
      )
      for (const { name } of sequenced) ordered.add(name)
      return rows.map(({ name, columns, key, refers }): StoreTable => ({
        name,
        columns,
        key: key.length > 0 ? key : columns,
        numbered: own.has(name),
        refersTo: refers.map((one) => one.replaceAll('"', '')),
      }))
    },
    async *rows({ name, columns, key }, asMade) {
      const order = asMade && ordered.has(name) ? SEQUENCE : listed(key)
      await client.query(
        `declare copied no scroll cursor for select ${listed(columns)} from ${quoted(name)} order by ${order}`,
      )
      for (;;) {
        const { rows } = await client.query<(string | number | null)[]>({
          text: `fetch ${FETCHED} from copied`,
          rowMode: 'array',
        })
        yield* rows
        if (rows.length < FETCHED) break
      }
      await client.query('close copied')
    },
    async clear({ name }) {
      await client.query(`delete from ${quoted(name)}`)
    },
    async insert({ name, columns }, rows) {
      const together = Math.max(1, Math.floor(MOST_PARAMETERS / columns.length))
      for (let at = 0; at < rows.length; at += together) {
        const some = rows.slice(at, at + together)
        let number = 0
        const values = some.map((row) => `(${row.map(() => `$${++number}`).join(', ')})`)
        await client.query(
          `insert into ${quoted(name)} (${listed(columns)}) values ${values.join(', ')}`,
          some.flat(),
        )
      }
    },
    async highest({ name }) {
      const { rows } = await client.query<{ last: number | null }>(
        `select last_value as last from pg_sequences
          where schemaname = 'public' and sequencename = $1`,
        [`${name}_id_seq`],
      )
      return Number(rows[0]?.last ?? 0)
    },
    async setHighest({ name }, highest) {
      await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2, $3)`, [
        name,
        Math.max(1, highest),
        highest > 0,
      ])
    },
  }
}
