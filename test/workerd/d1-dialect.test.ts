import { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { createD1Dialect } from '#adapters/worker/d1-dialect.ts'

interface Tables {
  things: { name: string }
}

/** A database that answers a query when it is told to. */
const slowDatabase = () => {
  const asked: { sql: string; answer: () => void }[] = []
  const prepare = (sql: string) => ({
    bind: () => ({
      all: () =>
        new Promise((resolve) => {
          asked.push({ sql, answer: () => resolve({ results: [{ name: sql }], meta: {} }) })
        }),
    }),
  })
  return { asked, database: { prepare } as unknown as D1Database }
}

test('no query waits for that of another request, which may never end', async () => {
  const { asked, database } = slowDatabase()
  const db = new Kysely<Tables>({ dialect: createD1Dialect(database) })
  const names = ['one', 'two', 'three']
  const queries = names.map((name) =>
    db.selectFrom('things').where('name', '=', name).selectAll().execute(),
  )
  await expect.poll(() => asked.length).toBe(3)
  asked[2]?.answer()
  expect(await queries[2]).toHaveLength(1)
  asked[0]?.answer()
  asked[1]?.answer()
  expect(await Promise.all(queries)).toHaveLength(3)
})
