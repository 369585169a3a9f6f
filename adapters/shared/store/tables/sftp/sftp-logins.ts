import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import { sql, type SqlBool } from 'kysely'
import type { SftpLoginStore } from '#handlers/ports/store/sftp/sftp-login-store.ts'
import type { StoreContext } from '../../context.ts'
import { equals, filtered, listTail, matches, totalOf, ownedBy } from '../../list.ts'

const SORTABLE: Readonly<Record<string, string>> = {
  began_at: 'began_at',
  ended_at: 'ended_at',
  login: 'login',
  address: 'address',
}
const SEARCHED = ['login', 'address', 'key_name', 'fingerprint']
const FILTERS = {
  way: equals('way'),
  kind: equals('kind'),
  outcome: (value: string) =>
    value === 'failed' ? sql<SqlBool>`failures > 0` : sql<SqlBool>`failures = 0`,
}

/** Log-ins over SFTP and SSH. */
export const sftpLoginsPart = ({ db, write, runBatch }: StoreContext): SftpLoginStore => ({
  async listSftpLogins(query = {}) {
    let base = db
      .selectFrom('sftp_logins')
      .innerJoin('accounts', 'accounts.id', 'sftp_logins.account_id')
    const owned = ownedBy(query, 'sftp_logins.account_id')
    if (owned !== null) base = base.where(owned)
    if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
    const wanted = filtered(query, FILTERS)
    if (wanted !== null) base = base.where(wanted)
    const isOrdered = query.sort !== undefined && Object.hasOwn(SORTABLE, query.sort)
    const { column, direction, limit, offset } = listTail(query, 'began_at', SORTABLE)
    const way = isOrdered ? direction : (query.order ?? 'desc')
    let rows = base
      .selectAll('sftp_logins')
      .select('accounts.username')
      .orderBy(sql.ref(column), way)
      .orderBy('sftp_logins.id', way)
    if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
    const page = await rows.execute()
    const total = await totalOf(page.length, { limit, offset }, () =>
      base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    )
    return { rows: page, total }
  },
  async lastSftpLoginVersion(hostId = LOCAL_HOST) {
    const row = await db
      .selectFrom('sftp_logins')
      .innerJoin('accounts', 'accounts.id', 'sftp_logins.account_id')
      .where('accounts.host_id', '=', hostId)
      .select((e) => e.fn.max('version').as('last'))
      .executeTakeFirst()
    return Number(row?.last ?? 0)
  },
  async recordSftpLogins(rows, { perAccount, since }) {
    if (rows.length === 0) return
    const accounts = [...new Set(rows.map((row) => row.account_id))]
    await runBatch([
      ...rows.map(({ key_id: _key, ...row }) =>
        write
          .insertInto('sftp_logins')
          .values(row)
          .onConflict((conflict) =>
            conflict.column('host_id').doUpdateSet({
              version: row.version,
              ended_at: row.ended_at,
              address: row.address,
              kind: row.kind,
              failures: row.failures,
              changes: row.changes,
              received_bytes: row.received_bytes,
              sent_bytes: row.sent_bytes,
            }),
          )
          .compile(),
      ),
      ...rows.flatMap(({ key_id: key, account_id, began_at }) =>
        key === null
          ? []
          : [
              write
                .updateTable('ssh_keys')
                .set({ last_used_at: began_at })
                .where('id', '=', key)
                .where('account_id', '=', account_id)
                .where((e) =>
                  e.or([e('last_used_at', 'is', null), e('last_used_at', '<', began_at)]),
                )
                .compile(),
            ],
      ),
      // Each by themselves, so that who only tries pushes nobody out who came in.
      ...accounts.flatMap((account) =>
        ['failures = 0', 'failures > 0'].map((outcome) =>
          sql`delete from sftp_logins where account_id = ${account} and ${sql.raw(outcome)}
            and id not in (
              select id from sftp_logins where account_id = ${account} and ${sql.raw(outcome)}
              order by began_at desc, id desc limit ${perAccount})`.compile(write),
        ),
      ),
      write.deleteFrom('sftp_logins').where('began_at', '<', since).compile(),
    ])
  },
})
