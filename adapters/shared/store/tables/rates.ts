import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { RateStore } from '#handlers/ports/store/panels/rate-store.ts'
import { insertWhere } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'

/** What was counted stays this long, whatever its window. */
const KEEP_SECS = 7 * 86_400

/** Events that may happen so often within a while: a row for each. */
export const ratesPart = ({ db, write, runBatch }: StoreContext): RateStore => ({
  async countRate({ key, most, windowSecs, atSecs }) {
    const sinceSecs = atSecs - windowSecs
    const hasRoom = sql<SqlBool>`(select count(*) from rate_events
      where key = ${key} and at_secs > ${sinceSecs}) < ${most}`
    const [, counted, oldest] = await runBatch([
      write
        .deleteFrom('rate_events')
        .where('at_secs', '<=', atSecs - KEEP_SECS)
        .compile(),
      insertWhere(write, 'rate_events', { key, at_secs: atSecs }, hasRoom),
      db
        .selectFrom('rate_events')
        .select((e) => e.fn.min('at_secs').as('oldest'))
        .where('key', '=', key)
        .where('at_secs', '>', sinceSecs)
        .compile(),
    ])
    if (counted?.rows.length === 1) return null
    return { oldestSecs: Number(oldest?.rows[0]?.['oldest'] ?? atSecs) }
  },
})
