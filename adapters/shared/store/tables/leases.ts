import { sql } from 'kysely'
import type { InstanceFacts, LeaseStore } from '#handlers/ports/store/lease-store.ts'
import type { StoreContext } from '../context.ts'
import { NOW_MS, numbersOf, ROWID } from '../dialect-words.ts'

/** Instances that nobody heard of for so long are forgotten. */
const FORGOTTEN_MS = 30 * 86_400_000

const UNKNOWN: InstanceFacts = { name: '', version: '', besideHost: true }

/**
 * Leases, and the instances that hold them. The row with the highest term stays when it is
 * released, or the terms would begin anew.
 */
export const leasesPart = ({ db, write, runBatch }: StoreContext): LeaseStore => ({
  async takeLease({ subject, holder, ttlMs, urgentMs }) {
    const [taken] = await runBatch([
      sql`insert into leases (subject, holder, term, until_ms, urgent_by, urgent_until_ms)
        values (${subject}, ${holder}, (select coalesce(max(term), 0) + 1 from leases),
          ${NOW_MS} + ${ttlMs}, '', 0)
        on conflict (subject) do update set holder = excluded.holder, term = excluded.term,
          until_ms = excluded.until_ms, urgent_by = '', urgent_until_ms = 0
        where (leases.until_ms < ${NOW_MS} or leases.holder = ${holder})
          and (leases.urgent_until_ms < ${NOW_MS} or leases.urgent_by = ${holder})
        returning term`.compile(write),
      ...(urgentMs === undefined
        ? []
        : [
            sql`update leases set urgent_by = ${holder}, urgent_until_ms = ${NOW_MS} + ${urgentMs}
              where subject = ${subject} and holder <> ${holder}
                and (urgent_until_ms < ${NOW_MS} or urgent_by = ${holder})`.compile(write),
          ]),
    ])
    const term = taken?.rows[0]?.['term']
    return term === undefined ? null : Number(term)
  },
  async renewLeases(holder, terms, ttlMs) {
    const [renewed] = await runBatch([
      sql`update leases set until_ms = ${NOW_MS} + ${ttlMs}
        where holder = ${holder} and term in ${numbersOf(terms)} returning term`.compile(write),
    ])
    return (renewed?.rows ?? []).map(({ term }) => Number(term))
  },
  async raiseLease(holder, term, above) {
    const [raised] = await runBatch([
      sql`update leases set term = 1 +
          (select case when max(term) > ${above} then max(term) else ${above} end from leases)
        where holder = ${holder} and term = ${term} and until_ms >= ${NOW_MS}
        returning term`.compile(write),
    ])
    const now = raised?.rows[0]?.['term']
    return now === undefined ? null : Number(now)
  },
  async releaseLease(holder, term) {
    await runBatch([
      // What somebody waits for urgently keeps its row, which says so.
      sql`delete from leases where holder = ${holder} and term = ${term}
        and urgent_until_ms < ${NOW_MS} and term < (select max(term) from leases)`.compile(write),
      sql`update leases set holder = '', until_ms = 0
        where holder = ${holder} and term = ${term}`.compile(write),
    ])
  },
  async isUrged(holder, subject) {
    const row = await db
      .selectFrom('leases')
      .select('term')
      .where('subject', '=', subject)
      .where('holder', '=', holder)
      .where('urgent_by', '<>', '')
      .where(sql<boolean>`urgent_until_ms >= ${NOW_MS}`)
      .executeTakeFirst()
    return row !== undefined
  },
  async subjectsOfOthers(holder) {
    const rows = await db
      .selectFrom('leases')
      .select('subject')
      .where('holder', '<>', holder)
      .where(sql<boolean>`until_ms >= ${NOW_MS}`)
      .orderBy('subject')
      .execute()
    return rows.map(({ subject }) => subject)
  },
  unattendedOperations: () =>
    db
      .selectFrom('operations')
      .select(['id', 'subject', 'kind'])
      .where('state', '=', sql.lit('open'))
      .where(
        sql<boolean>`not exists (select 1 from leases
          where leases.subject = operations.subject and leases.until_ms >= ${NOW_MS})`,
      )
      .orderBy('created_at')
      .orderBy(ROWID)
      .execute(),
  async storeTimeMs() {
    const { rows } = await db.query(sql<{ now: number }>`select ${NOW_MS} as now`)
    return Number(rows[0]?.now)
  },
  async beat(instance, { name, version, besideHost } = UNKNOWN) {
    await runBatch([
      sql`insert into instances (id, seen_at_ms, name, version, beside_host)
        values (${instance}, ${NOW_MS}, ${name}, ${version}, ${besideHost ? 1 : 0})
        on conflict (id) do update set seen_at_ms = excluded.seen_at_ms, name = excluded.name,
          version = excluded.version, beside_host = excluded.beside_host`.compile(write),
      sql`delete from instances where seen_at_ms < ${NOW_MS} - ${FORGOTTEN_MS}`.compile(write),
      // Released ones that nobody waited for in the end.
      sql`delete from leases where until_ms = 0 and urgent_until_ms < ${NOW_MS}
        and term < (select max(term) from leases)`.compile(write),
    ])
  },
  async listInstances() {
    const rows = await db
      .selectFrom('instances')
      .selectAll()
      .orderBy('name')
      .orderBy('id')
      .execute()
    return rows.map(({ id, name, version, seen_at_ms, beside_host }) => ({
      ...{ id, name, version, besideHost: beside_host === 1 },
      seen_at_ms: Number(seen_at_ms),
    }))
  },
  async insertPanelInvitation(hash, until_secs) {
    await runBatch([write.insertInto('panel_invitations').values({ hash, until_secs }).compile()])
  },
  async takePanelInvitation(hash, nowSecs) {
    const [taken] = await runBatch([
      write
        .deleteFrom('panel_invitations')
        .where('hash', '=', hash)
        .where('until_secs', '>', nowSecs)
        .returning('hash')
        .compile(),
      write.deleteFrom('panel_invitations').where('until_secs', '<=', nowSecs).compile(),
    ])
    return taken?.rows.length === 1
  },
  async livingInstances(withinMs, which) {
    let living = db
      .selectFrom('instances')
      .select('id')
      .where(sql<boolean>`seen_at_ms >= ${NOW_MS} - ${withinMs}`)
    if (which !== undefined) living = living.where('beside_host', '=', 1)
    return (await living.orderBy('id').execute()).map(({ id }) => id)
  },
})
