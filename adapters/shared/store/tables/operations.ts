import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'
import { ROWID } from '../dialect-words.ts'
import { noteEnd } from './events.ts'
import { fromOperation, toOperation } from '../rows.ts'

type Part = Pick<
  Store,
  'openOperation' | 'recordStep' | 'closeOperation' | 'openOperations' | 'endedOperations'
>

/** Whether a lease still has this term; asked for none it is true. */
const isHeld = (term: number | undefined): RawBuilder<SqlBool> =>
  term === undefined
    ? sql<SqlBool>`true`
    : sql<SqlBool>`exists (select 1 from leases where term = ${term})`

/** The journal. */
export const operationsPart = (context: StoreContext): Part => {
  const { db, write, runBatch } = context
  return {
    async openOperation(row) {
      await runBatch([write.insertInto('operations').values(fromOperation(row)).compile()])
    },
    async recordStep(operationId, step, term) {
      const [recorded] = await runBatch([
        write
          .updateTable('operations')
          .set({
            // A JSON array, written without blanks.
            steps: sql<string>`case steps when '[]' then '['
              else substr(steps, 1, length(steps) - 1) || ',' end || ${`${JSON.stringify(step)}]`}`,
          })
          .where('id', '=', operationId)
          .where(isHeld(term))
          .compile(),
      ])
      return recorded?.changes === 1
    },
    async closeOperation(operationId, state, term) {
      // Together, so that no crash leaves an end that nobody is told of.
      const results = await runBatch([
        ...noteEnd(context, operationId, state, isHeld(term)),
        write
          .updateTable('operations')
          .set({ state })
          .where('id', '=', operationId)
          .where('state', '=', 'open')
          .where(isHeld(term))
          .compile(),
      ])
      return results.at(-1)?.changes === 1
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
