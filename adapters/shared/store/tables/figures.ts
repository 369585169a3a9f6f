import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { FiguresStore } from '#handlers/ports/store/figures-store.ts'
import type { StoreContext } from '../context.ts'
import { isNotSetting, readSetting, writeSetting } from '../settings.ts'

const lastBatch = (hostId: number): string =>
  hostId === LOCAL_HOST ? 'figures_batch' : `figures_batch:${hostId}`

/** Figures of sites. */
export const figuresPart = ({ db, write, runBatch }: StoreContext): FiguresStore => ({
  figuresBatch: (hostId = LOCAL_HOST) => readSetting(db, lastBatch(hostId)),
  async putFigures(batch, rows, hostId = LOCAL_HOST) {
    const key = lastBatch(hostId)
    // Days are sums of what was read before: of two instances that read the same batch one counts.
    const isNew = batch === null ? sql<SqlBool>`true` : isNotSetting(key, batch)
    await runBatch([
      ...rows.map((row) =>
        sql`insert into figures_days (domain_id, day, requests, visitors, bytes, hits, misses, bot_requests, bot_bytes, details, sketch)
          select id, ${row.day}, ${row.requests}, ${row.visitors}, ${row.bytes}, ${row.hits}, ${row.misses},
            ${row.bot_requests}, ${row.bot_bytes}, ${row.details}, ${row.sketch}
          from domains where id = ${row.domain_id} and ${isNew}
          on conflict (domain_id, day) do update set requests = excluded.requests, visitors = excluded.visitors,
            bytes = excluded.bytes, hits = excluded.hits, misses = excluded.misses,
            bot_requests = excluded.bot_requests, bot_bytes = excluded.bot_bytes,
            details = excluded.details, sketch = excluded.sketch`.compile(write),
      ),
      ...(batch === null ? [] : [writeSetting(write, key, batch)]),
    ])
  },
  async figuresOfDay(domainId, day) {
    const row = await db
      .selectFrom('figures_days')
      .selectAll()
      .where('domain_id', '=', domainId)
      .where('day', '=', day)
      .executeTakeFirst()
    return row ?? null
  },
  listFigures: (domainId, from, to) =>
    db
      .selectFrom('figures_days')
      .selectAll()
      .where('domain_id', '=', domainId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .orderBy('day')
      .execute(),
  listAccountFigures: (accountId, from, to) =>
    db
      .selectFrom('figures_days')
      .innerJoin('domains', 'domains.id', 'figures_days.domain_id')
      .select([
        ...(['domain_id', 'day', 'requests', 'visitors', 'bytes', 'hits', 'misses'] as const),
        ...(['bot_requests', 'bot_bytes', 'domain_name'] as const),
      ])
      .where('domains.account_id', '=', accountId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .orderBy('day')
      .orderBy('domain_name')
      .execute(),
  async firstFigures(domainId) {
    const row = await db
      .selectFrom('figures_days')
      .select('day')
      .where('domain_id', '=', domainId)
      .orderBy('day')
      .limit(1)
      .executeTakeFirst()
    return row?.day ?? null
  },
  openFigures: (day, most) =>
    db
      .selectFrom('figures_days')
      .selectAll()
      .where('sketch', 'is not', null)
      .where('day', '<', day)
      .limit(most)
      .execute(),
  async deleteFigures(day) {
    await runBatch([write.deleteFrom('figures_days').where('day', '<', day).compile()])
  },
})
