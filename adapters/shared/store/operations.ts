import { sql } from 'kysely'
import type { Store } from '#handlers/ports/store.ts'
import type { StoreContext } from './context.ts'
import { fromOperation, toOperation } from './rows.ts'

type Part = Pick<Store, 'openOperation' | 'recordStep' | 'closeOperation' | 'openOperations'>

/** The journal. */
export const operationsPart = ({ db }: StoreContext): Part => ({
  async openOperation(row) {
    await db.insertInto('operations').values(fromOperation(row)).execute()
  },
  async recordStep(operationId, step) {
    await db
      .updateTable('operations')
      .set({ steps: sql`json_insert(steps, '$[#]', ${step})` })
      .where('id', '=', operationId)
      .execute()
  },
  async closeOperation(operationId, state) {
    await db.updateTable('operations').set({ state }).where('id', '=', operationId).execute()
  },
  async openOperations() {
    const rows = await db
      .selectFrom('operations')
      .selectAll()
      .where('state', '=', sql.lit('open'))
      .orderBy('created_at')
      .orderBy(sql`rowid`)
      .execute()
    return rows.map(toOperation)
  },
})
