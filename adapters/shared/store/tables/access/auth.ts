import { sql } from 'kysely'
import type { AdminRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { readSetting } from '../../settings.ts'

type Part = Pick<Store, 'createFirstAdmin' | 'setupDone' | 'adminByName' | 'adminById'>

const SETUP_DONE = 'setup_done'

/** Administrators. */
export const authPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async createFirstAdmin(row) {
    const values = {
      username: row.username,
      password_hash: row.password_hash,
      not_before_secs: row.not_before_secs,
      created_at: row.created_at,
    }
    // The mark stays when the administrator goes, so setup never opens again.
    const open = sql<boolean>`not exists (select 1 from settings where key = ${SETUP_DONE})`
    const [inserted] = await runBatch([
      insertWhere(write, 'admins', values, open),
      write
        .insertInto('settings')
        .values({ key: SETUP_DONE, value: row.created_at })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ])
    return (inserted?.rows[0] as unknown as AdminRow | undefined) ?? null
  },
  setupDone: async () => (await readSetting(db, SETUP_DONE)) !== null,
  adminByName: async (username) =>
    (await db
      .selectFrom('admins')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirst()) ?? null,
  adminById: async (id) =>
    (await db.selectFrom('admins').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,
})
