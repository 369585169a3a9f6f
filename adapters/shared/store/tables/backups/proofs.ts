import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type { ProofFigures, ProofRow, SnapshotStore } from '#handlers/ports/store/snapshot-store.ts'
import type { StoreContext } from '../../context.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../../list.ts'
import type { Tables } from '../../schema.ts'

type Part = Pick<SnapshotStore, 'listProofs' | 'latestProofs' | 'insertProof'>

const SORTABLE: Readonly<Record<string, string>> = {
  at: 'at',
  username: 'username',
  location: 'location',
  seconds: 'seconds',
}
const FILTERS = { kind: equals('kind'), location: equals('location'), username: equals('username') }
const SEARCHED = ['username', 'location', 'snapshot', 'filename', 'error']

const toRow = ({ ok, figures, ...row }: Selectable<Tables['proofs']>): ProofRow => ({
  ...row,
  ok: ok !== 0,
  figures: JSON.parse(figures) as ProofFigures,
})

const newest = sql<SqlBool>`id in (select max(id) from proofs group by kind, account_id, location)`

/** Proofs of backups. */
export const proofsPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async listProofs(query = {}) {
    let base = db.selectFrom('proofs')
    const owned = ownedBy(query, 'account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const wanted = filtered(query, FILTERS)
    if (wanted !== null) base = base.where(wanted)
    const order = query.sort === undefined ? { ...query, order: query.order ?? 'desc' } : query
    const { column, direction, limit, offset } = listTail(order, 'id', SORTABLE)
    let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('id', 'desc')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page.map(toRow), total }
  },
  async latestProofs() {
    const rows = await db.selectFrom('proofs').selectAll().where(newest).orderBy('id').execute()
    return rows.map(toRow)
  },
  async insertProof({ ok, figures, ...row }, oldest) {
    const [made] = await runBatch([
      write
        .insertInto('proofs')
        .values({ ...row, ok: Number(ok), figures: JSON.stringify(figures) })
        .returningAll()
        .compile(),
      write
        .deleteFrom('proofs')
        .where('at', '<', oldest)
        .where(sql<SqlBool>`not ${newest}`)
        .compile(),
    ])
    return toRow(made?.rows[0] as unknown as Selectable<Tables['proofs']>)
  },
})
