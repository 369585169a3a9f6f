import pg, { type Pool, type PoolClient, type QueryResult } from 'pg'
import { isAppError, unavailable } from '#handlers/errors.ts'
import type { Ambient } from '#handlers/ports/judge.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { Superseded } from '#handlers/services/journal/leases.ts'
import type { BatchResult, RunBatch } from '#adapters/shared/store/batch.ts'
import { markCommit, outcomeOf, WRITER_LOCK, type CommitMark } from './commit-marks.ts'
import { away, isLost } from './lost-server.ts'
import { SEQUENCE } from '#adapters/shared/store/postgres/postgres-schema.ts'

type Row = Record<string, unknown>

/** Rows as the other stores have them. */
export const plainRows = <R extends Row>(rows: R[]): R[] => {
  for (const row of rows) delete row[SEQUENCE]
  return rows
}

const resultOf = ({ command, rows, rowCount }: QueryResult<Row>): BatchResult => ({
  rows: plainRows(rows),
  changes: command === 'SELECT' ? 0 : (rowCount ?? 0),
})

/** Whose turn it is that something is written in. */
export type Turns = Pick<Ambient<Turn | null>, 'getStore'>

/** Throws unless the turn is over, or still this panel's; under the writer's lock that stays so until the commit. */
const assertTurn = async (client: PoolClient, turn: Turn): Promise<void> => {
  if (turn.isOver) return
  const { rowCount } = await client.query('select 1 from leases where subject = $1 and term = $2', [
    turn.subject,
    turn.term,
  ])
  if (rowCount === 0) throw new Superseded(turn.subject)
}

/**
 * Batches on PostgreSQL: one transaction, at READ COMMITTED, by one writer at a time. Nothing is
 * repeated. 503 where the server is not reached; where a commit was not answered it is asked for.
 * What is written in a turn of `turns` is refused (`Superseded`) once another panel has it.
 */
export const createPostgresBatch = (pool: Pool, turns?: Turns): RunBatch => {
  const work = async (
    client: PoolClient,
    queries: Parameters<RunBatch>[0],
    turn: Turn | null,
  ): Promise<{ results: BatchResult[]; mark: CommitMark | null }> => {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [WRITER_LOCK])
    for (let one = turn; one !== null; one = one.outer) await assertTurn(client, one)
    const results: BatchResult[] = []
    for (const { sql, parameters } of queries)
      results.push(resultOf(await client.query<Row>(sql, [...parameters])))
    return { results, mark: await markCommit(client) }
  }
  return async (queries) => {
    const turn = turns?.getStore() ?? null
    const client = await pool.connect().catch((error: unknown) => {
      throw away(error)
    })
    let done: Awaited<ReturnType<typeof work>>
    try {
      done = await work(client, queries, turn)
    } catch (error) {
      const lost = !isAppError(error) && isLost(error)
      // Over a connection that does not answer it would be waited for once more.
      const undone =
        (!lost || error instanceof pg.DatabaseError) &&
        (await client.query('rollback').then(
          () => true,
          () => false,
        ))
      client.release(!undone)
      throw lost ? away(error) : error
    }
    try {
      await client.query('commit')
      client.release()
    } catch (error) {
      client.release(true)
      // What was only read may be asked for again.
      if (done.mark === null) throw away(error)
      const outcome = await outcomeOf(pool, done.mark)
      if (outcome === 'aborted') throw away(error)
      if (outcome === null)
        throw unavailable(
          'The database of the panel went away while it wrote, and does not tell whether it did. Look before you try again.',
        )
    }
    return done.results
  }
}
