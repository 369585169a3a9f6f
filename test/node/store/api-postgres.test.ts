import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import { apiContract } from '#test/contract/frame/api-contract.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

apiContract(
  'Node with PostgreSQL',
  async () => {
    const { store, close } = await openPostgres(await server.newDatabase())
    const api = await makeNodeApi({ store, instance: 'one' })
    return {
      ...api,
      async close() {
        await api.close()
        await close()
      },
    }
  },
  { keep: 6 },
)
