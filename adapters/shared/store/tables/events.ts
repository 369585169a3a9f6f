import { sql } from 'kysely'
import type { CompiledQuery, RawBuilder, SqlBool } from 'kysely'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { EVENTFUL_KINDS } from '#handlers/domain/events/events.ts'
import type { EventStore } from '#handlers/ports/events.ts'
import type { StoreContext } from '../context.ts'

/** Where nothing tells events (no dispatcher runs), only so many are kept. */
const MOST_KEPT = 10_000

/** Notes the end of an open operation; to be run before the statement that ends it, in one batch. */
export const noteEnd = (
  { write }: StoreContext,
  operationId: string,
  state: 'done' | 'undone',
  condition: RawBuilder<SqlBool>,
): CompiledQuery[] => [
  sql`insert into events (at, ending, subject, data, tries, next_at_secs)
    select ${timestamp(Date.now())}, kind || ':' || ${state}, subject, data, '{}', 0 from operations
    where id = ${operationId} and state = 'open' and kind in (${sql.join(EVENTFUL_KINDS)})
      and ${condition}`.compile(write),
  sql`delete from events where id <= (select max(id) from events) - ${MOST_KEPT}`.compile(write),
]

const record = (text: string): Record<string, number> => JSON.parse(text) as Record<string, number>

/** Events that were not told to everybody. */
export const eventsPart = ({ db, write, runBatch }: StoreContext): EventStore => ({
  async insertEvent({ at, ending, subject, data }) {
    await runBatch([
      write
        .insertInto('events')
        .values({ at, ending, subject, data: JSON.stringify(data), tries: '{}', next_at_secs: 0 })
        .compile(),
    ])
  },
  async dueEvents(nowSecs, limit) {
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('next_at_secs', '<=', nowSecs)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      ...row,
      data: JSON.parse(row.data) as unknown,
      tries: record(row.tries),
    }))
  },
  async updateEvent(id, { tries, next_at_secs }) {
    await runBatch([
      write
        .updateTable('events')
        .set({ tries: JSON.stringify(tries), next_at_secs })
        .where('id', '=', id)
        .compile(),
    ])
  },
  async deleteEvent(id) {
    await runBatch([write.deleteFrom('events').where('id', '=', id).compile()])
  },
})
