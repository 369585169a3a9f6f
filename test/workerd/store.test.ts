import { D1Dialect } from 'kysely-d1'
import { Miniflare } from 'miniflare'
import { afterAll } from 'vitest'
import { createKyselyStore } from '#adapters/shared/store/kysely-store.ts'
import { createD1Batch } from '#adapters/worker/d1-batch.ts'
import { storeContract } from '#test/contract/store/store-contract.ts'

/** Databases of one workerd: to start one for each part of the contract takes longer than most of their tests. */
const DATABASES = 32

let miniflare: Miniflare | undefined
let taken = 0
afterAll(() => miniflare?.dispose())

const create = async () => {
  miniflare ??= new Miniflare({
    modules: true,
    script: 'export default { fetch: () => new Response() }',
    compatibilityDate: '2026-07-01',
    d1Databases: Object.fromEntries(
      Array.from({ length: DATABASES }, (_, at) => [`DB_${at}`, crypto.randomUUID()]),
    ),
  })
  const database = await miniflare.getD1Database(`DB_${taken++}`)
  return {
    store: await createKyselyStore(new D1Dialect({ database }), createD1Batch(database)),
    dispose: async () => undefined,
  }
}
// Beside SQLite, which is D1's engine, all of it each time takes minutes.
storeContract('D1', create, { keep: 8 })
