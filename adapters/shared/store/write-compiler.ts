import { Kysely } from 'kysely'
import type { Dialect } from 'kysely'
import type { StoreReader, StoreWriter } from './context.ts'
import type { Tables } from './schema.ts'

const refuse = (): Promise<never> =>
  Promise.reject(new Error('A write outside of a batch: compile it, and give it to runBatch.'))

/** Statements of the dialect, which nothing but `runBatch` can run. */
export const createWriteCompiler = (dialect: Dialect): StoreWriter =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => ({
        init: () => Promise.resolve(),
        acquireConnection: refuse,
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
        releaseConnection: () => Promise.resolve(),
        destroy: () => Promise.resolve(),
      }),
    },
  })

/** Reads over the dialect. */
export const createStoreReader = (dialect: Dialect): StoreReader => {
  const db = new Kysely<Tables>({ dialect })
  return { selectFrom: db.selectFrom.bind(db), query: (statement) => statement.execute(db) }
}
