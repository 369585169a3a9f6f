import { D1Dialect } from 'kysely-d1'
import { Miniflare } from 'miniflare'
import { createKyselyStore } from '#adapters/shared/store/kysely-store.ts'
import { createD1Batch } from '#adapters/worker/d1-batch.ts'
import { storeContract } from '#test/contract/store/store-contract.ts'

storeContract('D1', async () => {
  const miniflare = new Miniflare({
    modules: true,
    script: 'export default { fetch: () => new Response() }',
    compatibilityDate: '2026-07-01',
    d1Databases: { DB: crypto.randomUUID() },
  })
  const database = await miniflare.getD1Database('DB')
  return {
    store: await createKyselyStore(new D1Dialect({ database }), createD1Batch(database)),
    dispose: () => miniflare.dispose(),
  }
})
