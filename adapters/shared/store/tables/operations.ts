import { sql } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'
import { noteEnd } from './events.ts'
import { fromOperation, toOperation } from '../rows.ts'

type Part = Pick<
  Store,
  'openOperation' | 'recordStep' | 'closeOperation' | 'openOperations' | 'endedOperations'
>

/** The journal. */
export const operationsPart = (context: StoreContext): Part => {
  const { db, write, runBatch } = context
  return {
    async openOperation(row) {
      await runBatch([write.insertInto('operations').values(fromOperation(row)).compile()])
    },
    async recordStep(operationId, step) {
      await runBatch([
        write
          .updateTable('operations')
          .set({ steps: sql`json_insert(steps, '$[#]', ${step})` })
          .where('id', '=', operationId)
          .compile(),
      ])
    },
    async closeOperation(operationId, state) {
      // Together, so that no crash leaves an end that nobody is told of.
      await runBatch([
        ...noteEnd(context, operationId, state),
        write
          .updateTable('operations')
          .set({ state })
          .where('id', '=', operationId)
          .where('state', '=', 'open')
          .compile(),
      ])
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
    async endedOperations(state, kinds, since) {
      const rows = await db
        .selectFrom('operations')
        .selectAll()
        .where('state', '=', state)
        .where('kind', 'in', [...kinds])
        .where('created_at', '>=', since)
        .orderBy('created_at')
        .execute()
      return rows.map(toOperation)
    },
  }
}
