import { dirname } from 'node:path'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { connectionOf, NO_FILES } from '#adapters/node/store/postgres/connection-of.ts'
import { prepareMarks } from '#adapters/node/store/postgres/commit-marks.ts'
import { createPostgresBatch } from '#adapters/node/store/postgres/postgres-batch.ts'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import { account, domain, operation } from '#test/contract/store/store-rows.ts'
import { startRelay, type Relay } from '#test/support/servers/relay.ts'
import {
  startPostgres,
  followedBy,
  type PostgresServer,
  type StandbyServer,
} from '#test/support/setups/postgres-server.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

interface Pair {
  primary: PostgresServer
  standby: StandbyServer
  relay: Relay
  /** Of a database behind the relay, which leads to the primary at first. */
  url: string
  /** The database's name. */
  name: string
}

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
})

const startPair = async (): Promise<Pair> => {
  const primary = await startPostgres()
  undo.push(() => primary.stop())
  const name = new URL(await primary.newDatabase()).pathname.slice(1)
  const standby = await followedBy(primary)
  undo.push(() => standby.kill())
  const relay = await startRelay(primary.socket)
  undo.push(() => relay.close())
  return { primary, standby, relay, name, url: `postgres://berth@127.0.0.1:${relay.port}/${name}` }
}

const open = async (url: string) => {
  const opened = await openPostgres(url)
  undo.push(() => opened.close())
  return opened.store
}

test('a standby that takes over has all that was acknowledged, and nothing that was refused', async () => {
  const { primary, standby, relay, url } = await startPair()
  const stores = await Promise.all([open(url), open(url)])
  const acknowledged: string[] = []
  const refused: string[] = []
  const said = new Set<string>()
  let over = false
  const client = async (at: number): Promise<void> => {
    for (let number = 0; !over; number += 1) {
      const name = `u${at}x${number}`
      try {
        await stores[at % 2]!.insertAccount(
          account(name),
          domain(`${name}.example`),
          operation(name),
          { accounts: -1, domains: -1 },
        )
        acknowledged.push(name)
      } catch (error) {
        const { status, message } = error as { status?: number; message: string }
        said.add(`${status ?? message}`)
        if (message.endsWith('Nothing was changed; try again.')) refused.push(name)
        else expect(message).toContain('does not tell whether it did')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const clients = Array.from({ length: 6 }, (_, at) => client(at))
  await waitFor(() => expect(acknowledged.length).toBeGreaterThan(50))
  await primary.kill()
  // What balancer and manager of the servers need for it.
  await waitFor(() => expect(refused.length).toBeGreaterThan(5))
  await expect(stores[0]!.countAccounts()).rejects.toMatchObject({ status: 503 })
  relay.lead(standby.socket)
  const before = acknowledged.length
  // Neither writes nor reads go by what is a standby still.
  await expect(stores[1]!.countAccounts()).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('a standby'),
  })
  await standby.promote()
  await waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 50))
  over = true
  await Promise.all(clients)
  expect(said).toEqual(new Set(['503']))
  for (const store of stores) {
    for (const name of acknowledged) expect(await store.accountByName(name), name).not.toBeNull()
    for (const name of refused) expect(await store.accountByName(name), name).toBeNull()
  }
}, 60_000)

const insert = (key: string) =>
  CompiledQuery.raw('insert into settings (key, value) values ($1, $2)', [key, 'x'])

test('a commit that no standby heard of is lost, also where another one gets its number', async () => {
  const { primary, standby, relay, url, name } = await startPair()
  const store = await open(url)
  // The standby hears nothing more; it took over by force, without what the primary alone has.
  await standby.query(`alter system set primary_conninfo = ''`)
  await standby.query('select pg_reload_conf()')
  await waitFor(async () =>
    expect(await primary.query('select 1 from pg_stat_replication')).toEqual([]),
  )
  const pool = new pg.Pool({ ...connectionOf(url, NO_FILES), query_timeout: 1500, max: 2 })
  undo.push(() => pool.end())
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const batch = createPostgresBatch(pool)
  const lost = batch([insert('lost')]).then(
    () => 'written',
    (error: unknown) => error,
  )
  // Its commit waits, and with it whoever else wants to write; reads go on.
  await waitFor(async () =>
    expect(
      await primary.query(`select 1 from pg_stat_activity where wait_event = 'SyncRep'`),
    ).toHaveLength(1),
  )
  const late = store
    .insertAccount(account('late'), domain('late.example'), operation('late'), {
      ...{ accounts: -1, domains: -1 },
    })
    .then(
      () => 'written',
      (error: unknown) => error,
    )
  expect(await store.countAccounts()).toBe(0)
  await primary.kill()
  await standby.promote()
  // Beyond the number that the lost one had.
  const other = new pg.Client({
    connectionString: `postgres://berth@localhost:5432/${name}?host=${encodeURIComponent(dirname(standby.socket))}`,
  })
  await other.connect()
  for (let number = 0; number < 30; number += 1)
    await other.query(`insert into settings (key, value) values ('later${number}', 'x')`)
  await other.end()
  relay.lead(standby.socket)
  const nothing = { status: 503, message: expect.stringContaining('Nothing was changed') }
  expect(await lost).toMatchObject(nothing)
  expect(await late).toMatchObject(nothing)
  const [left] = await batch([CompiledQuery.raw(`select 1 from settings where key = 'lost'`, [])])
  expect(left?.rows).toEqual([])
  // The table of marks went the same way.
  await prepareMarks(pool)
  expect(await batch([insert('after')])).toMatchObject([{ changes: 1 }])
}, 60_000)

test('a way that swallows what is sent is 503 in time, and used again when it is whole', async () => {
  const primary = await startPostgres()
  undo.push(() => primary.stop())
  const name = new URL(await primary.newDatabase()).pathname.slice(1)
  const relay = await startRelay(primary.socket)
  undo.push(() => relay.close())
  const store = await open(`postgres://berth@127.0.0.1:${relay.port}/${name}`)
  const add = (username: string) =>
    store.insertAccount(account(username), domain(`${username}.example`), operation(username), {
      accounts: -1,
      domains: -1,
    })
  await add('before')
  expect(await store.countAccounts()).toBe(1)
  relay.swallow(true)
  const beganMs = performance.now()
  const outcomes = await Promise.allSettled([store.countAccounts(), add('meanwhile')])
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { status: 503 } },
    { status: 'rejected', reason: { status: 503 } },
  ])
  expect(performance.now() - beganMs).toBeLessThan(20_000)
  relay.swallow(false)
  await waitFor(async () => expect(await add('after')).toMatchObject({ account: {} }))
  expect(await store.accountByName('meanwhile')).toBeNull()
}, 60_000)
