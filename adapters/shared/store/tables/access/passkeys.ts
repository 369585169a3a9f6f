import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type { PasskeyStore } from '#handlers/ports/store/passkey-store.ts'
import type { PasskeyRow } from '#handlers/ports/store/records.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import type { Tables } from '../../schema.ts'
import { isUnchanged } from './is-unchanged.ts'

const toPasskey = (row: Selectable<Tables['passkeys']>): PasskeyRow => ({
  ...row,
  transports: JSON.parse(row.transports) as string[],
})

/** Passkeys. */
export const passkeysPart = ({ db, write, runBatch }: StoreContext): PasskeyStore => {
  const byCredential = async (credentialId: string): Promise<PasskeyRow | null> => {
    const row = await db
      .selectFrom('passkeys')
      .selectAll()
      .where('credential_id', '=', credentialId)
      .executeTakeFirst()
    return row === undefined ? null : toPasskey(row)
  }
  return {
    passkeyByCredential: byCredential,
    async listPasskeys({ role, id }) {
      const rows = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('role', '=', role)
        .where('owner_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map(toPasskey)
    },
    async insertPasskey(row, limit, ownerNotBeforeSecs) {
      const owned = sql`from passkeys where role = ${row.role} and owner_id = ${row.owner_id}`
      const taken = sql<SqlBool>`exists (select 1 ${owned} and name = ${row.name})`
      const known = sql<SqlBool>`exists (select 1 from passkeys
        where credential_id = ${row.credential_id})`
      const ownerRef = { role: row.role, id: row.owner_id, accountId: null }
      const same = isUnchanged(ownerRef, ownerNotBeforeSecs)
      const room = sql<SqlBool>`(select count(*) ${owned}) < ${limit}`
      const values = { ...row, transports: JSON.stringify(row.transports) }
      const [why, inserted] = await runBatch([
        sql`select ${same} as same, ${known} as known, ${taken} as taken`.compile(write),
        insertWhere(
          write,
          'passkeys',
          values,
          sql<SqlBool>`${same} and not ${known} and not ${taken} and ${room}`,
        ),
      ])
      if (inserted?.rows[0] !== undefined) {
        const made = await byCredential(row.credential_id)
        if (made !== null) return made
      }
      if (why?.rows[0]?.['same'] !== 1) return 'owner-changed'
      if (why.rows[0]['known'] === 1) return 'known'
      return why.rows[0]['taken'] === 1 ? 'duplicate' : 'limit'
    },
    async usePasskey(id, counter, at) {
      const [used] = await runBatch([
        write
          .updateTable('passkeys')
          .set({ counter, last_used_at: at })
          .where('id', '=', id)
          .where(sql<SqlBool>`(counter < ${counter} or (counter = 0 and ${counter} = 0))`)
          .compile(),
      ])
      return used?.changes === 1
    },
    async deletePasskey({ role, id: owner }, id) {
      const [deleted] = await runBatch([
        write
          .deleteFrom('passkeys')
          .where('role', '=', role)
          .where('owner_id', '=', owner)
          .where('id', '=', id)
          .compile(),
      ])
      return deleted?.changes === 1
    },
    async deletePasskeys({ role, id }) {
      await runBatch([
        write.deleteFrom('passkeys').where('role', '=', role).where('owner_id', '=', id).compile(),
      ])
    },
  }
}
