import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { SftpStore, SshKeyRow } from '#handlers/ports/store/sftp/sftp-store.ts'
import { hasOwnRoom, insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { listTail, matches, totalOf, ownedBy } from '../../list.ts'

const SORTABLE: Readonly<Record<string, string>> = {
  id: 'ssh_keys.id',
  name: 'ssh_keys.name',
  type: 'type',
  expires_at: 'expires_at',
  created_at: 'ssh_keys.created_at',
  last_used_at: 'last_used_at',
}
const SEARCHED = ['ssh_keys.name', 'type', 'fingerprint']

/** Keys and passwords for SFTP. */
export const sftpPart = ({ db, write, runBatch }: StoreContext): SftpStore => ({
  async listSshKeys(query = {}) {
    let base = db
      .selectFrom('ssh_keys')
      .innerJoin('accounts', 'accounts.id', 'ssh_keys.account_id')
      .leftJoin('sftp_users', 'sftp_users.id', 'sftp_user_id')
      .leftJoin('applications', 'applications.id', 'ssh_keys.application_id')
    const owned = ownedBy(query, 'ssh_keys.account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const { column, direction, limit, offset } = listTail(query, 'ssh_keys.name', SORTABLE)
    let rows = base
      .selectAll('ssh_keys')
      .select(['accounts.username', 'applications.name as application'])
      .select(sql<string>`coalesce(sftp_users.name, accounts.username)`.as('login'))
      .orderBy(sql.ref(column), direction)
      .orderBy('ssh_keys.id')
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page, total }
  },
  async sshKey(id) {
    const row = await db.selectFrom('ssh_keys').selectAll().where('id', '=', id).executeTakeFirst()
    return row ?? null
  },
  async insertSshKey(row, limit) {
    const { account_id, sftp_user_id, fingerprint } = row
    const isNew = sql<SqlBool>`not exists (select 1 from ssh_keys
      where account_id = ${account_id} and coalesce(sftp_user_id, 0) = ${sftp_user_id ?? 0}
        and fingerprint = ${fingerprint})`
    const hasRoom = hasOwnRoom('ssh_keys', account_id, limit)
    const values = {
      account_id,
      sftp_user_id,
      application_id: row.application_id,
      access: row.access,
      name: row.name,
      type: row.type,
      public_key: row.public_key,
      fingerprint,
      expires_at: row.expires_at,
      created_at: row.created_at,
    }
    const condition = sql<SqlBool>`(${isNew} and ${hasRoom})`
    const [why, made] = await runBatch([
      sql`select ${isNew} as is_new`.compile(write),
      insertWhere(write, 'ssh_keys', values, condition),
    ])
    const first = made?.rows[0]
    if (first !== undefined) return first as unknown as SshKeyRow
    return why?.rows[0]?.['is_new'] === 1 ? 'limit' : 'taken'
  },
  async updateSshKey(id, change) {
    await runBatch([write.updateTable('ssh_keys').set(change).where('id', '=', id).compile()])
  },
  async deleteSshKey(id) {
    await runBatch([write.deleteFrom('ssh_keys').where('id', '=', id).compile()])
  },
  async sftpPasswords(accountId) {
    const row = await db
      .selectFrom('sftp_access')
      .select('passwords')
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    return row?.passwords !== 0
  },
  async setSftpPasswords(accountId, wanted) {
    const passwords = Number(wanted)
    await runBatch([
      write
        .insertInto('sftp_access')
        .values({ account_id: accountId, passwords })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ passwords }))
        .compile(),
    ])
  },
  async sftpShell(accountId) {
    const row = await db
      .selectFrom('sftp_access')
      .select('shell')
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    return row !== undefined && row.shell !== 0
  },
  async setSftpShell(accountId, wanted) {
    const shell = Number(wanted)
    await runBatch([
      write
        .insertInto('sftp_access')
        .values({ account_id: accountId, passwords: 1, shell })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ shell }))
        .compile(),
    ])
  },
})
