import { sql } from 'kysely'
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
  async putMetric(step, row) {
    await runBatch([
      write
        .insertInto('metrics')
        .values({ step_secs: step, ...row })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ])
  },
  metrics: (step, fromSecs, untilSecs) =>
    db
      .selectFrom('metrics')
      .select(['at_secs', ...VALUES])
      .where('step_secs', '=', step)
      .where('at_secs', '>=', fromSecs)
      .where('at_secs', '<', untilSecs)
      .orderBy('at_secs')
      .execute(),
  async rollMetrics(fromSecs, untilSecs) {
    const columns = sql.join(VALUES.map((name) => sql.ref(name)))
    const averages = sql.join(VALUES.map((name) => sql`avg(${sql.ref(name)})`))
    const again = sql.join(
      VALUES.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`),
    )
    // Constants stand in the text: D1 binds numbers as floating point, which would not divide to whole periods.
    await runBatch([
      sql`
      INSERT INTO metrics (step_secs, at_secs, ${columns})
      SELECT 600, at_secs / 600 * 600, ${averages} FROM metrics
      WHERE step_secs = 60 AND at_secs >= ${fromSecs} AND at_secs < ${untilSecs}
      GROUP BY at_secs / 600
      ON CONFLICT (step_secs, at_secs) DO UPDATE SET ${again}`.compile(write),
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
