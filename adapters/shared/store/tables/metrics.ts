import { sql } from 'kysely'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { MetricStore } from '#handlers/ports/store/metrics.ts'
import type { StoreContext } from '../context.ts'

const VALUES = [
  'cpu_percent',
  'memory_used_mb',
  'memory_total_mb',
  'disk_used_mb',
  'load_1',
  'load_5',
  'load_15',
  'requests_per_sec',
  'hits_per_sec',
  'lookups_per_sec',
] as const

/** Averages by period, for the charts. */
export const metricsPart = ({ db, write, runBatch }: StoreContext): MetricStore => ({
  async putMetric(step, row, hostId = LOCAL_HOST) {
    await runBatch([
      write
        .insertInto('metrics')
        .values({ host_id: hostId, step_secs: step, ...row })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ])
  },
  metrics: (step, fromSecs, untilSecs, hostId = LOCAL_HOST) =>
    db
      .selectFrom('metrics')
      .select(['at_secs', ...VALUES])
      .where('host_id', '=', hostId)
      .where('step_secs', '=', step)
      .where('at_secs', '>=', fromSecs)
      .where('at_secs', '<', untilSecs)
      .orderBy('at_secs')
      .execute(),
  async rollMetrics(fromSecs, untilSecs, hostId = LOCAL_HOST) {
    const columns = sql.join(VALUES.map((name) => sql.ref(name)))
    const averages = sql.join(VALUES.map((name) => sql`avg(${sql.ref(name)})`))
    const again = sql.join(
      VALUES.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`),
    )
    // Constants stand in the text: D1 binds numbers as floating point, which would not divide to whole periods.
    await runBatch([
      sql`
      INSERT INTO metrics (host_id, step_secs, at_secs, ${columns})
      SELECT host_id, 600, at_secs / 600 * 600, ${averages} FROM metrics
      WHERE host_id = ${hostId} AND step_secs = 60 AND at_secs >= ${fromSecs} AND at_secs < ${untilSecs}
      GROUP BY host_id, at_secs / 600
      ON CONFLICT (host_id, step_secs, at_secs) DO UPDATE SET ${again}`.compile(write),
    ])
  },
  async pruneMetrics(step, beforeSecs, afterSecs) {
    await runBatch([
      write
        .deleteFrom('metrics')
        .where('step_secs', '=', step)
        .where((where) =>
          where.or([where('at_secs', '<', beforeSecs), where('at_secs', '>', afterSecs)]),
        )
        .compile(),
    ])
  },
})
