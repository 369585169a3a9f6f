import type { RefillStore } from '#handlers/ports/store/refill-store.ts'
import type { StoreContext } from '../context.ts'

/** What followed imports of the panel. */
export const refillsPart = ({ db, write, runBatch }: StoreContext): RefillStore => ({
  async refillsOf(importId) {
    const rows = await db
      .selectFrom('refills')
      .selectAll()
      .where('import_id', '=', importId)
      .orderBy('account_id')
      .execute()
    return rows.map((row) => ({ ...row, notes: JSON.parse(row.notes) as string[] }))
  },
  async putRefill(row) {
    const values = { ...row, notes: JSON.stringify(row.notes) }
    await runBatch([
      write
        .insertInto('refills')
        .values(values)
        .onConflict((conflict) => conflict.columns(['import_id', 'account_id']).doUpdateSet(values))
        .compile(),
    ])
  },
})
