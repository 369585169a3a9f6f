import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'

/**
 * Held by who writes, for the length of one transaction: conditions that are written into
 * statements, and the numbers of changes, then mean what they mean on SQLite, which has one writer.
 */
export const WRITER_LOCK = 7071

// Not among the records, which are copied and compared whole.
const SCHEMA = 'berth_panel'
const TABLE = `${SCHEMA}.commits`
/** How often it is asked what became of a commit, and the first pause between, which doubles. */
const ASKED = 5
const ASK_PAUSE_MS = 200

/** What a batch leaves in the transaction that it writes. */
export interface CommitMark {
  connection: string
  batch: string
}

const connections = new WeakMap<PoolClient, string>()

/** Makes the table of marks where there is none. */
export const prepareMarks = async (pool: Pool): Promise<void> => {
  const client = await pool.connect()
  let failed = true
  try {
    await client.query('begin')
    // Of programs that start at once one makes it.
    await client.query('select pg_advisory_xact_lock($1)', [WRITER_LOCK])
    const { rows } = await client.query<{ name: string | null }>(
      'select to_regclass($1)::text as name',
      [TABLE],
    )
    if (!rows[0]?.name) {
      await client.query(`create schema if not exists ${SCHEMA}`)
      await client.query(
        `create table ${TABLE} (connection text primary key, batch text not null, at timestamptz not null default now())`,
      )
    }
    await client.query('commit')
    failed = false
  } finally {
    client.release(failed)
  }
}

/** Marks the transaction that is open, as its last statement; null: it has written nothing. */
export const markCommit = async (client: PoolClient): Promise<CommitMark | null> => {
  const known = connections.get(client)
  const mark = { connection: known ?? randomUUID(), batch: randomUUID() }
  const { rowCount } = await client.query(
    `insert into ${TABLE} (connection, batch)
      select $1, $2 where pg_current_xact_id_if_assigned() is not null
      on conflict (connection) do update set batch = excluded.batch, at = excluded.at`,
    [mark.connection, mark.batch],
  )
  if (rowCount === 0) return null
  if (known === undefined) {
    connections.set(client, mark.connection)
    await client.query(`delete from ${TABLE} where at < now() - interval '1 hour'`)
  }
  return mark
}

/**
 * What became of a transaction whose commit was not answered; null: that cannot be told now. By a
 * row and not by the transaction's number (`pg_xact_status`): a standby that took over without
 * having heard of the transaction gives its number to another one. Under the writer's lock, which
 * the transaction holds until it has ended, also where its commit waits for a standby.
 */
export const outcomeOf = async (
  pool: Pool,
  { connection, batch }: CommitMark,
): Promise<'committed' | 'aborted' | null> => {
  for (let asked = 0; asked < ASKED; asked++) {
    let client: PoolClient | undefined
    try {
      client = await pool.connect()
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock($1)', [WRITER_LOCK])
      const { rows } = await client.query<{ standby: boolean | number; batch: string | null }>(
        `select pg_is_in_recovery() as standby,
          (select batch from ${TABLE} where connection = $1) as batch`,
        [connection],
      )
      await client.query('rollback')
      client.release()
      const [row] = rows
      if (row !== undefined && !row.standby) return row.batch === batch ? 'committed' : 'aborted'
    } catch {
      // Not there yet.
      client?.release(true)
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_PAUSE_MS * 2 ** asked))
  }
  return null
}
