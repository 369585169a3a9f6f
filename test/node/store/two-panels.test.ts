import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { createLeases, inTurnOf, Superseded } from '#handlers/services/journal/leases.ts'
import { createOneAtATime } from '#handlers/services/journal/one-at-a-time.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import {
  adminClient,
  apiClient,
  newAccount,
  type ApiClient,
} from '#test/contract/frame/api-instance.ts'
import { makeNodeApi, type NodeApi } from '#test/node/contract/api-node.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'

type Opened = Awaited<ReturnType<typeof openPostgres>>

let server: PostgresServer
let url: string
let stores: Opened[]
let panels: NodeApi[]
let first: ApiClient
beforeAll(async () => {
  server = await startPostgres()
  url = await server.newDatabase()
  stores = await Promise.all([openPostgres(url), openPostgres(url)])
  const one = await makeNodeApi({ store: stores[0]!.store, instance: 'one' })
  const host = one.host.ports
  panels = [one, await makeNodeApi({ store: stores[1]!.store, instance: 'two', host })]
  first = await adminClient(one)
})
afterAll(async () => {
  for (const panel of panels ?? []) await panel.close()
  for (const { close } of stores ?? []) await close()
  await server?.stop()
})

test('two panels over one store change one account after the other, and leave nothing half', async () => {
  const store = stores[0]!.store
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
  // Who comes while it is being deleted finds it done, who comes later finds nobody.
  expect(deleted.map(({ status }) => status)).toContain(200)
  for (const { status } of deleted) expect([200, 404]).toContain(status)
  for (const { status } of changed) expect(status).toBeLessThan(500)
  expect(await store.openOperations()).toEqual([])
  expect(await store.accountByName('alice')).toBeNull()
  expect(await store.subjectsOfOthers('')).toEqual([])
  expect((await store.listAccounts()).rows.map(({ username }) => username).toSorted()).toEqual([
    'bob',
    'carol',
  ])
})

test('what is written in a turn is refused once another panel has it', async () => {
  const turns = new AsyncLocalStorage<Turn | null>()
  const { store, close } = await openPostgres(url, undefined, turns)
  try {
    const other = stores[0]!.store
    const log = createRecordingLog()
    const leases = createLeases({ store, log, instance: 'frozen', turns })
    const takeOver = async (subject: string): Promise<void> => {
      const order = { subject, holder: 'late', ttlMs: 60_000 }
      await waitFor(async () => expect(await other.takeLease(order)).not.toBeNull())
    }
    const release = await leases.take('outer', false)
    const inOuter = <T>(work: () => Promise<T>) => inTurnOf({ turns }, leases, 'outer', work)
    const put = (name: string) => store.beat(name)
    await inOuter(async () => {
      await put('mine')
      const done = await leases.take('inner', false)
      // As after half a minute of which this process knows nothing.
      await other.renewLeases('frozen', [leases.termOf('outer')!], -1)
      await takeOver('outer')
      leases.assertHeld('outer')
      await expect(put('late')).rejects.toBeInstanceOf(Superseded)
      // Within a turn that was lost no other one counts.
      await inTurnOf({ turns }, leases, 'inner', () =>
        expect(put('inner')).rejects.toBeInstanceOf(Superseded),
      )
      await turns.run(null, () => put('outside'))
      await done()
      await release()
      await put('behind')
    })
    const written = await other.livingInstances(60_000)
    expect(written).toEqual(['behind', 'mine', 'outside'])
  } finally {
    await close()
  }
})

test('one order about a subject is under way at a time, at whichever panel', async () => {
  const log = createRecordingLog()
  const [here, there] = ['one', 'two'].map((instance, at) =>
    createOneAtATime({ store: stores[at]!.store, log, instance }),
  )
  const refusal = (): Error => new Error('under way already')
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const going = here!('warm:example.com', refusal, async () => {
    begin()
    await ended
    return 'warm'
  })
  await begun
  const work = () => Promise.resolve('more')
  for (const panel of [here!, there!])
    await expect(panel('warm:example.com', refusal, work)).rejects.toThrow('under way already')
  expect(await there!('warm:example.org', refusal, work)).toBe('more')
  end()
  expect(await going).toBe('warm')
  expect(await there!('warm:example.com', refusal, work)).toBe('more')
  expect(await here!('warm:example.com', refusal, () => Promise.resolve('again'))).toBe('again')
})

test('a deployment that waits in a panel is lost with it, and with no other', async () => {
  const { store } = stores[0]!
  const bob = (await store.accountByName('bob'))!
  const made = await first.send('POST', '/api/applications', {
    ...{
      account_id: bob.id,
      name: 'shop',
      folder: 'apps/shop',
      start_command: JSON.stringify(['node', 'index.js']),
    },
    runtime_kind: 'node',
  })
  expect(made.body).toEqual({ ok: true, data: expect.anything() })
  const application = (await store.applicationByName(bob.id, 'shop'))!
  await store.beat('living')
  for (const instance of ['living', 'gone', null]) {
    const row = {
      ...{ id: `of ${instance}`, application_id: application.id, source: 'folder' as const },
      ...{ commit: null, release: null, state: 'queued' as const, who: 'bob', instance },
      ...{ created_at: '2026-01-01 00:00:00', started_at: null, ended_at: null, problem: null },
      output: '',
    }
    expect(await store.insertDeployment(row, 20)).toBe(true)
  }
  await panels[1]!.app.settleAbandoned()
  const states = (await store.listDeployments(application.id)).map(({ id, state }) => [id, state])
  expect(Object.fromEntries(states)).toMatchObject({
    ...{ 'of living': 'queued', 'of gone': 'failed', 'of null': 'failed' },
  })
})
