import { truncateSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { withMariadb } from '#adapters/node/agent/databases/mariadb/session.ts'
import { readDatabaseServers } from '#adapters/node/agent/machine/read-database-servers.ts'
import { createHostFixture } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'

let host: HostFixture
let engine: Engine
let socket: string
const DATABASE = 'health_shop'
const rows = [{ engine: 'mariadb' as const, database: DATABASE }]
const look = async () => (await readDatabaseServers([engine], rows))[0]
const run = (...statements: string[]): Promise<void> =>
  withMariadb(socket, async (session) => {
    for (const statement of statements) await session.run(statement)
  })

beforeAll(async () => {
  host = await createHostFixture()
  await mkdir(`${host.directory}/log`)
  const composed = composeEngines(
    {
      mariadb: 'managed',
      mariadb_socket: '/nowhere',
      postgresql: 'off',
      postgresql_socket: '/nowhere/.s.PGSQL.5432',
    },
    { state_dir: host.stateDir, run_dir: host.runDir, log_dir: `${host.directory}/log` },
    host.log,
  )
  engine = composed.engines[0]!
  socket = composed.mariadbSocket ?? ''
})
afterAll(async () => {
  await engine.stop()
  await host.dispose()
})

test('a server that does not run is told as unreachable, and is not started by looking', async () => {
  expect(await look()).toMatchObject({ unreachable: expect.stringContaining('not reachable') })
})

test('a sound one: nothing is damaged, and its connections are counted', async () => {
  await engine.whenReady()
  await run(
    `CREATE DATABASE ${DATABASE}`,
    `CREATE TABLE ${DATABASE}.whole (a INT) ENGINE=InnoDB`,
    `CREATE TABLE ${DATABASE}.\`bro\u001b[31mken\` (a INT, KEY (a)) ENGINE=MyISAM`,
    `INSERT INTO ${DATABASE}.\`bro\u001b[31mken\` VALUES (1), (2), (3)`,
  )
  expect(await look()).toEqual({
    engine: 'mariadb',
    unreachable: null,
    readOnly: null,
    connections: { used: 0, limit: expect.any(Number) },
    damaged: [],
    oldestTransactions: null,
    notReached: null,
  })
})

test('a table that the server cannot open is named, for terminals without its control characters', async () => {
  await run('FLUSH TABLES')
  const data = `${host.stateDir}/databases/mariadb/${DATABASE}`
  // The name as the server writes it in file names.
  truncateSync(`${data}/bro@001b@005b31mken.MYI`, 10)
  const found = await look()
  expect(found?.damaged).toEqual([
    { name: `${DATABASE}.bro [31mken`, what: expect.stringMatching(/\w/) },
  ])
})

test('one that takes no changes says why', async () => {
  await run('SET GLOBAL read_only = 1')
  expect(await look()).toMatchObject({ unreachable: null, readOnly: 'read_only is on' })
  await run('SET GLOBAL read_only = 0')
  expect(await look()).toMatchObject({ readOnly: null })
})
