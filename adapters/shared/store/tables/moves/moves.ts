import { sql } from 'kysely'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { AccountCopyRow, MoveStore } from '#handlers/ports/store/host-store.ts'
import { insertWhere, operationExists } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { fromOperation } from '../../rows.ts'

const fromCopy = (row: AccountCopyRow) => ({
  username: row.username,
  host_id: row.host_id,
  until_secs: row.until_secs,
  leads: JSON.stringify(row.leads),
})

/** Accounts that move between hosts, and what they leave. */
export const movesPart = ({ db, write, runBatch }: StoreContext): MoveStore => {
  const without = ({ username, host_id }: Pick<AccountCopyRow, 'username' | 'host_id'>) =>
    write
      .deleteFrom('account_copies')
      .where('username', '=', username)
      .where('host_id', '=', host_id)
  return {
    async switchAccount({ accountId, from, to, uid, home, certificates, copy, at }, operation) {
      const begun = operationExists(operation.id)
      const isThere = sql<boolean>`exists (select 1 from accounts
        where id = ${accountId} and host_id = ${from})`
      const [, moved] = await runBatch([
        insertWhere(write, 'operations', fromOperation(operation), isThere),
        write
          .updateTable('accounts')
          .set({ host_id: to, uid, home: home.to, updated_at: at })
          .where('id', '=', accountId)
          .where(begun)
          .compile(),
        write
          .updateTable('domains')
          .set({
            document_root: sql<string>`${home.to} || substr(document_root, ${home.from.length + 1})`,
          })
          .where('account_id', '=', accountId)
          .where(sql<boolean>`substr(document_root, 1, ${home.from.length}) = ${home.from}`)
          .where(begun)
          .compile(),
        ...certificates.map(({ domain, files }) =>
          write
            .updateTable('certificates')
            .set({
              certificate_file: files.certificate,
              key_file: files.key,
              chain_file: files.chain,
            })
            .where('domain', '=', domain)
            .where('account_id', '=', accountId)
            .where(begun)
            .compile(),
        ),
        without(copy).where(begun).compile(),
        insertWhere(write, 'account_copies', fromCopy(copy), begun),
      ])
      return moved?.changes === 1
    },
    async listAccountCopies() {
      const rows = await db
        .selectFrom('account_copies')
        .selectAll()
        .orderBy('username')
        .orderBy('host_id')
        .execute()
      // Only `fromCopy` writes the column.
      return rows.map((row) => ({ ...row, leads: JSON.parse(row.leads) as VirtualHostSpec[] }))
    },
    async putAccountCopy(row) {
      await runBatch([
        without(row).compile(),
        write.insertInto('account_copies').values(fromCopy(row)).compile(),
      ])
    },
    async deleteAccountCopy(copy) {
      await runBatch([without(copy).compile()])
    },
  }
}
