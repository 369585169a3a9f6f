import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { SftpUserRow, SftpUserStore } from '#handlers/ports/store/sftp/sftp-user-store.ts'
import { hasOwnRoom, insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { listTail, matches, totalOf, ownedBy } from '../../list.ts'

const SORTABLE: Readonly<Record<string, string>> = {
  id: 'sftp_users.id',
  name: 'name',
  folder: 'folder',
  created_at: 'sftp_users.created_at',
}
const SEARCHED = ['name', 'folder']

const flags = <Row extends { passwords: number; read_only: number }>(row: Row) => ({
  ...row,
  passwords: row.passwords !== 0,
  read_only: row.read_only !== 0,
})

/** Users of accounts for one folder each. */
export const sftpUsersPart = ({ db, write, runBatch }: StoreContext): SftpUserStore => ({
  async listSftpUsers(query = {}) {
    let base = db
      .selectFrom('sftp_users')
      .innerJoin('accounts', 'accounts.id', 'sftp_users.account_id')
    const owned = ownedBy(query, 'sftp_users.account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const { column, direction, limit, offset } = listTail(query, 'name', SORTABLE)
    let rows = base
      .selectAll('sftp_users')
      .select('accounts.username')
      .select(
        sql<number>`(select count(*) from ssh_keys where sftp_user_id = sftp_users.id)`.as('keys'),
      )
      .orderBy(sql.ref(column), direction)
      .orderBy('sftp_users.id')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page.map(flags), total }
  },
  async sftpUser(id) {
    const row = await db
      .selectFrom('sftp_users')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : flags(row)
  },
  async insertSftpUser(row, limit) {
    const { account_id, name } = row
    const isNew = sql<SqlBool>`not exists (select 1 from sftp_users where name = ${name})`
    const values = {
      account_id,
      name,
      folder: row.folder,
      passwords: Number(row.passwords),
      read_only: Number(row.read_only),
      created_at: row.created_at,
    }
    const condition = sql<SqlBool>`(${isNew} and ${hasOwnRoom('sftp_users', account_id, limit)})`
    const [why, made] = await runBatch([
      sql`select ${isNew} as is_new`.compile(write),
      insertWhere(write, 'sftp_users', values, condition),
    ])
    const first = made?.rows[0]
    if (first !== undefined)
      return flags(
        first as unknown as Omit<SftpUserRow, 'passwords' | 'read_only'> & {
          passwords: number
          read_only: number
        },
      )
    return why?.rows[0]?.['is_new'] === 1 ? 'limit' : 'taken'
  },
  async updateSftpUser(id, { folder, passwords, read_only }) {
    const change = {
      ...(folder === undefined ? {} : { folder }),
      ...(passwords === undefined ? {} : { passwords: Number(passwords) }),
      ...(read_only === undefined ? {} : { read_only: Number(read_only) }),
    }
    if (Object.keys(change).length === 0) return
    await runBatch([write.updateTable('sftp_users').set(change).where('id', '=', id).compile()])
  },
  async deleteSftpUser(id) {
    await runBatch([
      write.deleteFrom('ssh_keys').where('sftp_user_id', '=', id).compile(),
      write.deleteFrom('sftp_users').where('id', '=', id).compile(),
    ])
  },
})
