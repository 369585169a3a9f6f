import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type { BackedUpDatabase } from '#handlers/ports/store/records.ts'
import type { SnapshotRow, SnapshotStore } from '#handlers/ports/store/snapshot-store.ts'
import type { StoreContext } from '../../context.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../../list.ts'
import type { Tables } from '../../schema.ts'

type Part = Pick<
  SnapshotStore,
  'listSnapshots' | 'snapshotsAt' | 'newestSnapshots' | 'putSnapshot' | 'deleteSnapshot'
>

const SORTABLE: Readonly<Record<string, string>> = {
  username: 'username',
  location: 'location',
  size_bytes: 'size_bytes',
  added_bytes: 'added_bytes',
  created_at: 'created_at',
}
const FILTERS = { location: equals('location'), id: equals('id') }
const SEARCHED = ['id', 'location', 'username']

const toRow = (row: Selectable<Tables['snapshots']>): SnapshotRow => ({
  ...row,
  databases: JSON.parse(row.databases) as BackedUpDatabase[],
  scheduled: row.scheduled !== 0,
})

/** Snapshots of accounts. */
export const snapshotsPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async listSnapshots(query = {}) {
    let base = db.selectFrom('snapshots')
    const owned = ownedBy(query, 'account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const wanted = filtered(query, FILTERS)
    if (wanted !== null) base = base.where(wanted)
    const order = query.sort === undefined ? { ...query, order: query.order ?? 'desc' } : query
    const { column, direction, limit, offset } = listTail(order, 'created_at', SORTABLE)
    let rows = base
      .selectAll()
      .orderBy(sql.ref(column), direction)
      .orderBy('id', direction)
      .orderBy('location')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page.map(toRow), total }
  },
  async snapshotsAt(username, location) {
    const rows = await db
      .selectFrom('snapshots')
      .selectAll()
      .where('username', '=', username)
      .where('location', '=', location)
      .orderBy('created_at', 'desc')
      .execute()
    return rows.map(toRow)
  },
  async newestSnapshots() {
    const newest = sql`select location, id from (select location, id, row_number() over (
      partition by account_id, location order by created_at desc, id) as place
      from snapshots) as placed where place = 1`
    const rows = await db
      .selectFrom('snapshots')
      .selectAll()
      .where(sql<SqlBool>`(location, id) in (${newest})`)
      .orderBy('created_at')
      .execute()
    return rows.map(toRow)
  },
  async putSnapshot(row) {
    const values = {
      account_id: row.account_id,
      username: row.username,
      location: row.location,
      id: row.id,
      created_at: row.created_at,
      scheduled: Number(row.scheduled),
      size_bytes: row.size_bytes,
      added_bytes: row.added_bytes,
      files: row.files,
      databases: JSON.stringify(row.databases),
      unread: row.unread,
    }
    await runBatch([
      write
        .insertInto('snapshots')
        .values(values)
        .onConflict((conflict) => conflict.columns(['location', 'id']).doUpdateSet(values))
        .compile(),
    ])
  },
  async deleteSnapshot(location, id) {
    await runBatch([
      write.deleteFrom('snapshots').where('location', '=', location).where('id', '=', id).compile(),
    ])
  },
})
