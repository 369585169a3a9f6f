import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { readDatabaseServers } from '#adapters/node/agent/machine/read-database-servers.ts'
import { createPostgresqlFixture } from './postgresql-fixture.ts'
import type { PostgresqlFixture } from './postgresql-fixture.ts'

let on: PostgresqlFixture
let engine: Engine
const look = () => readDatabaseServers([engine], [])

beforeAll(async () => {
  on = await createPostgresqlFixture()
  engine = on.compose()
})
afterAll(async () => {
  await engine.stop()
  await on.host.dispose()
})

test('a server that was never used is not looked at, nor made by looking', async () => {
  expect(await look()).toEqual([])
  expect(on.servers()).toEqual([])
})

test('a sound one, and one that takes no changes', async () => {
  await engine.whenReady()
  const [sound] = await look()
  expect(sound).toMatchObject({
    engine: 'postgresql',
    unreachable: null,
    readOnly: null,
    connections: { used: 0, limit: expect.any(Number) },
    damaged: [],
  })
  expect(sound?.oldestTransactions).toBeGreaterThanOrEqual(0)
  expect(sound?.oldestTransactions).toBeLessThan(1_000_000)
  await on.asAdministrator(
    'postgres',
    'ALTER SYSTEM SET default_transaction_read_only = on',
    'SELECT pg_reload_conf()',
  )
  await expect
    .poll(async () => (await look())[0]?.readOnly)
    .toBe('default_transaction_read_only is on')
})

test('one that is stopped is unreachable', async () => {
  await engine.stop()
  expect(await look()).toMatchObject([{ unreachable: expect.stringContaining('not reachable') }])
})
