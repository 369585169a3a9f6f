import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { BackedUpDatabase, BackupRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../../context.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../../list.ts'
import type { Tables } from '../../schema.ts'

type Part = Pick<Store, 'listBackups' | 'putBackup' | 'deleteBackup'>

const SORTABLE: Readonly<Record<string, string>> = {
  filename: 'filename',
  size_bytes: 'size_bytes',
  location: 'location',
  created_at: 'created_at',
  username: 'username',
}
const FILTERS = { location: equals('location') }
const SEARCHED = ['filename', 'location']

const toRow = (row: Selectable<Tables['backups']>): BackupRow => ({
  ...row,
  databases: JSON.parse(row.databases) as BackedUpDatabase[],
  skipped_paths: JSON.parse(row.skipped_paths) as string[],
  scheduled: row.scheduled !== 0,
})

/** Copies of backups. */
export const backupsPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async listBackups(query = {}) {
    let base = db.selectFrom('backups')
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
      .orderBy('filename', direction)
      .orderBy('location')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page.map(toRow), total }
  },
  async putBackup(row) {
    const values = {
      account_id: row.account_id,
      username: row.username,
      host_id: row.host_id,
      filename: row.filename,
      location: row.location,
      size_bytes: row.size_bytes,
      sha256: row.sha256,
      databases: JSON.stringify(row.databases),
      skipped: row.skipped,
      skipped_paths: JSON.stringify(row.skipped_paths),
      scheduled: Number(row.scheduled),
      created_at: row.created_at,
    }
    await runBatch([
      write
        .insertInto('backups')
        .values(values)
        .onConflict((conflict) => conflict.columns(['filename', 'location']).doUpdateSet(values))
        .compile(),
    ])
  },
  async deleteBackup(filename, location) {
    await runBatch([
      write
        .deleteFrom('backups')
        .where('filename', '=', filename)
        .where('location', '=', location)
        .compile(),
    ])
  },
})
