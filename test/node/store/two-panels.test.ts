import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import { adminClient, apiClient, newAccount } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi, type NodeApi } from '#test/node/contract/api-node.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'

type Opened = Awaited<ReturnType<typeof openPostgres>>

let server: PostgresServer
let stores: Opened[]
let panels: NodeApi[]
beforeAll(async () => {
  server = await startPostgres()
  const url = await server.newDatabase()
  stores = await Promise.all([openPostgres(url), openPostgres(url)])
  const first = await makeNodeApi({ store: stores[0]!.store, instance: 'one' })
  const host = first.host.ports
  panels = [first, await makeNodeApi({ store: stores[1]!.store, instance: 'two', host })]
})
afterAll(async () => {
  for (const panel of panels ?? []) await panel.close()
  for (const { close } of stores ?? []) await close()
  await server?.stop()
})

test('two panels over one store change one account after the other, and leave nothing half', async () => {
  const store = stores[0]!.store
  const first = await adminClient(panels[0]!)
  const second = apiClient(panels[1]!)
  second.token = first.token
  const both = [first, second]
  const made = await Promise.all(
    ['alice', 'alice', 'bob', 'carol'].map((name, at) =>
      both[at % 2]!.send('POST', '/api/accounts', newAccount(name)),
    ),
  )
  expect(made.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409])
  const { id } = (await store.accountByName('alice'))!
  // Whoever comes first: each finds what the one before it has left.
  const changed = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      both[at % 2]!.send('POST', '/api/domains', {
        account_id: id,
        domain_name: `site-${at}.example`,
        domain_type: 'addon',
        document_root: `/home/alice/sites/${at}`,
      }),
    ),
  )
  expect(changed.map(({ status }) => status)).toContain(200)
  const deleted = await Promise.all(
    both.map((client) => client.send('DELETE', `/api/accounts/${id}`)),
  )
  expect(deleted.map(({ status }) => status).toSorted()).toEqual([200, 404])
  for (const { status } of changed) expect(status).toBeLessThan(500)
  expect(await store.openOperations()).toEqual([])
  expect(await store.accountByName('alice')).toBeNull()
  expect(await store.subjectsOfOthers('')).toEqual([])
  expect((await store.listAccounts()).rows.map(({ username }) => username).toSorted()).toEqual([
    'bob',
    'carol',
  ])
})
