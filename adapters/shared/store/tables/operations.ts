import { sql } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'
import { ROWID } from '../dialect-words.ts'
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
          .set({
            // A JSON array, written without blanks.
            steps: sql<string>`case steps when '[]' then '['
              else substr(steps, 1, length(steps) - 1) || ',' end || ${`${JSON.stringify(step)}]`}`,
          })
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
        .orderBy(ROWID)
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
